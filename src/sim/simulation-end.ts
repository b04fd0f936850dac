/** What is checked when a simulated process has ended: that the store tells the whole story, and that a new process which
 * reads it knows what the last one knew. */
import type { DeadRow, UrlRow, VisitRow } from '../changes.js';
import type { StoreReader, TableName, Tables } from '../engines/ports.js';
import { UrlState } from '../frontier/url-table.js';
import type { ModelHost } from './model-web.js';
import { Violation } from './simulation-oracle.js';
import type { Process } from './simulation-process.js';
import type { World } from './simulation-world.js';

/** Compared in the first period only. Rows do not tell when exactly a later budget period began; and if the wall clock was
 * set between two lives, whether a copy of a robots.txt is 30 days old depends on which of them asks. */
const WITHIN_PERIOD: ReadonlySet<string> = new Set(['fetched', 'admitted', 'crawlDelay']);

/** What has to survive a clean stop. */
export interface Memory {
  /** State and attempts of each URL. */
  urls: readonly string[];
  hosts: readonly HostMemory[];
  tally: string;
}

interface HostMemory {
  facts: Record<string, number>;
  /** It is in its first budget period. */
  isFirst: boolean;
}

/** A budget period is 30 days by the wall clock, which may have been set forward a few times. */
const CERTAINLY_FIRST = 15 * 86_400_000;

/** @param age ms since the crawl began
 * @param isDueTold rows tell when pages are due: not if the clock was set back, for then a start shortens their waits */
export function memoryOf({ frontier, tally }: Process, age: number, isDueTold: boolean): Memory {
  const { urls, hosts, revisits } = frontier;
  const stateOf = (url: number): number => {
    const state = urls.state(url);
    // rows do not tell a revisit that is due from one that is under way
    if (revisits.isRevisit(url)) return UrlState.done;
    return state === UrlState.leased ? UrlState.pending : state;
  };
  return {
    urls: Array.from(
      { length: urls.size },
      (_, url) => `state ${stateOf(url)}, ${urls.attempts(url)} attempts, due ${isDueTold ? revisits.due(url) : ''}`,
    ),
    hosts: Array.from({ length: hosts.size }, (_, host) => ({
      facts: {
        penalty: hosts.penalty[host],
        throttles: hosts.throttles[host],
        sleeps: hosts.sleeps[host],
        offline: hosts.offline[host],
        crawlDelay: hosts.crawlDelay[host],
        fetched: hosts.fetched[host],
        admitted: hosts.admitted[host],
      },
      isFirst: age < CERTAINLY_FIRST,
    })),
    tally: JSON.stringify({ ...tally, errors: Object.entries(tally.errors).sort() }),
  };
}

/** @throws Violation naming the first thing that a restart changed. */
export function compareMemories(before: Memory, after: Memory): void {
  const differ = (what: string, was: unknown, is: unknown): void => {
    if (was !== is) throw new Violation(`a clean restart changes ${what} from ${was} to ${is}`);
  };
  differ('the number of URLs', before.urls.length, after.urls.length);
  differ('the number of hosts', before.hosts.length, after.hosts.length);
  before.urls.forEach((url, i) => {
    differ(`URL ${i}`, url, after.urls[i]);
  });
  before.hosts.forEach(({ facts, isFirst }, host) => {
    for (const [name, value] of Object.entries(facts)) {
      if (WITHIN_PERIOD.has(name) && !isFirst) continue;
      differ(`${name} of host ${host}`, value, after.hosts[host].facts[name]);
    }
  });
  differ('the tally', before.tally, after.tally);
}

/** The whole crawl is over: is every URL where it belongs? */
export function checkEnd(world: World, process: Process): void {
  const { frontier } = process;
  const rows = <T extends TableName>(table: T): Tables[T][] => all(world.store, table);
  const urls = rows('urls');
  if (urls.length !== frontier.urls.size) throw new Violation('the store and memory know different numbers of URLs');
  const normals = new Set(urls.map((row) => world.keyed(row.url, undefined)!.to.url));
  if (normals.size !== urls.length) throw new Violation('a URL is in the store twice');
  const dead = new Map(rows('dead').map((row) => [row.url, row]));
  const visits = new Map(rows('visits').map((row) => [row.url, row]));
  const dropped = new Set(rows('hostEvents').flatMap((row) => (row.kind === 'dropped' ? [row.host] : [])));
  for (const row of urls) checkUrl(world, process, row, dead.get(row.id), visits.get(row.id), dropped.has(row.host));
  for (const visit of visits.values()) checkLinks(world, urls[visit.url], visit, normals);
}

function checkUrl(
  world: World,
  { frontier }: Process,
  row: UrlRow,
  dead: DeadRow | undefined,
  visit: VisitRow | undefined,
  isDropped: boolean,
): void {
  const fail = (words: string): never => {
    throw new Violation(`URL ${row.id} (${row.url}) ${words}`);
  };
  const { to } = world.keyed(row.url, undefined)!;
  const state = frontier.urls.state(row.id);
  const forbidden = world.oracle.isForbidden(to.origin, row.url.slice(to.origin.length));
  switch (state) {
    case UrlState.done:
      if (visit === undefined) fail('is done, and has no visit');
      return;
    case UrlState.denied: {
      const spelling = `${to.url.slice(to.origin.length)}/`; // its redirect to itself may be what is forbidden
      if (!forbidden && !world.oracle.isForbidden(to.origin, spelling)) fail('is denied, and robots allow it');
      return;
    }
    case UrlState.dead:
      if (dead === undefined) fail('is dead, and has no dead letter');
      if (!isDropped && dead!.code !== 'guard.address' && dead!.history.length < leastAttempts(dead!))
        fail(`is dead after ${dead!.history.length} attempts`);
      if (isWell(world.web.find(to.host)) && /\/(?:p|d|s|c)\//.test(row.url)) {
        const own = dead!.history.filter(({ code }) => /^(?:lease|worker)\./.test(code)).length;
        if (own < leastAttempts(dead!)) fail('is dead, and its server has always answered');
      }
      return;
    default:
      fail(`ends in state ${state}`);
  }
}

/** Failures that make a dead letter: those of the ladder, or two of a page that kills its worker. */
const leastAttempts = ({ code }: DeadRow): number => (code === 'worker.crash-alone' ? 2 : 5);

/** A host that always answers. */
const isWell = (host: ModelHost | undefined): boolean =>
  host !== undefined &&
  host.down.length === 0 &&
  host.deadAddress === null &&
  !host.nxdomain &&
  host.dnsFailures === 0 &&
  host.robots === 'rules' &&
  host.secondRobots === null;

/** Whatever a page links to is known, unless its host's budget was spent. */
function checkLinks(world: World, row: UrlRow, visit: VisitRow, normals: ReadonlySet<string>): void {
  if (visit.code !== 'ok' || visit.duplicateOf >= 0) return;
  for (const link of world.web.linksOf(visit.finalUrl ?? row.url)) {
    const { to } = world.keyed(link, row.url)!;
    if (normals.has(to.url)) continue;
    const budget = world.web.find(to.host)?.budget ?? null;
    if (budget === null) throw new Violation(`${row.url} links to ${link}, which is not known`);
    const known = [...normals].filter((url) => new URL(url).hostname === to.host).length;
    if (known < budget) {
      throw new Violation(`${link} was refused, and the budget of its host was not spent`);
    }
  }
}

function all<T extends TableName>(reader: StoreReader, table: T): Tables[T][] {
  return [...reader.scan(table)].flat();
}
