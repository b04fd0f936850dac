/** What a crawl still has to do, and what that takes, from its rows alone: while it runs or after a stop. */
import type { StoreReader } from '../engines/ports.js';
import { readStates, rows, STATES } from './states.js';
import { restingHosts, waitingHosts } from './waiting.js';

export interface HostLeft {
  host: string;
  pending: number;
  /** From one request to the next, by the host's own answers and delays so far; s. */
  period: number;
  /** One page after the other; s. */
  seconds: number;
}

export interface Remaining {
  pages: number;
  known: number;
  pending: number;
  /** Of these, those that wait for more than their turn. */
  waiting: ReturnType<typeof waitingHosts>;
  /** Hosts with pending URLs that are not blocked, the one that takes longest first. */
  hosts: HostLeft[];
  /** Mean bytes of a page over the wire, and mean time of a fetch, s. */
  pageBytes: number;
  fetchSeconds: number;
  /** New URLs that each page brought lately: over the last quarter of the pages. */
  novelty: number;
  /** Pages to come if that stays so; null if each brings one more or more: then budgets and limits end the crawl. */
  pagesToCome: number | null;
  /** Pages of which the next visit is planned. */
  revisits: number;
  /** Pages a second over the last quarter of the pages; 0 if nothing says. */
  pagesPerSecond: number;
  /** Of the last request; wall ms, null if there is none. */
  lastRequest: number | null;
}

/** @param delay gap of a host that was never asked, s
 * @param now wall ms */
export function remaining(reader: StoreReader, delay: number, now: number): Remaining {
  const asked = requests(reader);
  const { visits, pages, revisits, recent, from } = visited(reader);
  const { pending, byHost, waiting } = pendingUrls(reader, asked.hosts, now);
  const resting = restingHosts(reader, now);
  const fetchSeconds = asked.count === 0 ? 0 : asked.seconds / asked.count;
  const hosts: HostLeft[] = [];
  for (const { id, name } of rows(reader, 'hosts')) {
    const left = byHost[id] ?? 0;
    if (left === 0 || resting.get(id)?.wait === 'blocked') continue;
    const { times, total } = asked.hosts[id] ?? { times: 0, total: 0 };
    const period = times > 0 ? total / times : delay + fetchSeconds;
    hosts.push({ host: name, pending: left, period, seconds: left * period });
  }
  hosts.sort((a, b) => b.seconds - a.seconds);
  const novelty = recent.pages === 0 ? 0 : recent.urls / recent.pages;
  const span = asked.last === null ? 0 : (asked.last - from) / 1000;
  return {
    ...{ pages, known: reader.count('urls'), pending, waiting, hosts, fetchSeconds, novelty, revisits },
    pageBytes: visits === 0 ? 0 : asked.bytes / visits,
    pagesToCome: novelty >= 1 ? null : Math.round((pending - (waiting.blocked?.urls ?? 0)) / (1 - novelty)),
    pagesPerSecond: span > 0 ? recent.pages / span : 0,
    lastRequest: asked.last,
  };
}

interface Asked {
  times: number;
  /** Fetch time and delay, s. */
  total: number;
}

function requests(reader: StoreReader) {
  const hosts: Asked[] = [];
  let [count, seconds, bytes, last] = [0, 0, 0, null as number | null];
  for (const { host, kind, started, ended, delay, bytes: received } of rows(reader, 'requests')) {
    hosts[host] ??= { times: 0, total: 0 };
    hosts[host].times++;
    hosts[host].total += (ended - started + delay) / 1000;
    count++;
    seconds += (ended - started) / 1000;
    if (kind === 'page') bytes += received;
    last = Math.max(last ?? 0, ended);
  }
  return { hosts, count, seconds, bytes, last };
}

/** Pages, and what the last quarter of them brought. */
function visited(reader: StoreReader) {
  const total = reader.count('visits');
  // from the commit on in which the last quarter begins: URLs and visits of one commit belong together
  const [first] = total === 0 ? [] : reader.at('visits', [Math.floor(total * 0.75)]);
  const batch = first?.batch ?? Number.POSITIVE_INFINITY;
  let [visits, pages, revisits, recent] = [0, 0, 0, 0];
  const planned = new Uint8Array(reader.count('urls'));
  for (const visit of rows(reader, 'visits')) {
    if (visit.kind !== 'page') continue;
    visits++;
    if (visit.url < planned.length) planned[visit.url] = visit.nextVisit === null ? 0 : 1;
    if (visit.history !== null) continue;
    if (visit.code === 'ok') pages++;
    if (visit.batch >= batch) recent++;
  }
  for (const mark of planned) revisits += mark;
  let urls = 0;
  for (const url of rows(reader, 'urls')) if (url.batch >= batch) urls++;
  return { visits, pages, revisits, recent: { pages: recent, urls }, from: first?.at ?? 0 };
}

function pendingUrls(reader: StoreReader, asked: readonly Asked[], now: number) {
  const { states } = readStates(reader);
  const byHost: number[] = new Array(asked.length).fill(0);
  let pending = 0;
  for (const { id, host } of rows(reader, 'urls')) {
    if (id >= states.length || STATES[states[id]] !== 'pending') continue;
    byHost[host] = (byHost[host] ?? 0) + 1;
    pending++;
  }
  return { pending, byHost, waiting: waitingHosts(reader, states, now) };
}
