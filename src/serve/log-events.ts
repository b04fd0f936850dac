/** What is logged of a commit: one event for each outcome, as plain data (docs/operate/logs.md describes them). */
import type { Changes, HostEventKind, RequestRow } from '../changes.js';
import type { OpenedCrawl } from '../embedded/open.js';
import { OUTCOMES } from '../errors.js';

export type LogLevel = 'info' | 'warn' | 'error';

export interface LogEvent {
  level: LogLevel;
  /** Wall ms. */
  time: number;
  event: 'request' | 'dead' | 'revived' | 'dropped' | 'restored' | 'denied' | 'allowed' | 'host';
  [field: string]: string | number | boolean | null;
}

/** Host events that are trouble. */
const TROUBLE: ReadonlySet<HostEventKind> = new Set(['throttled', 'asleep', 'offline', 'dropped', 'demoted']);

/** The events of committed rows, in the order of their tables. @param least events below it are not made */
export function* logEvents(
  { frontier, store }: Pick<OpenedCrawl, 'frontier' | 'store'>,
  changes: Changes,
  least: LogLevel,
): Generator<LogEvent> {
  const hostOf = (host: number): string => frontier.hosts.names[host];
  const isLeft = (level: LogLevel): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
  const visits = new Map(changes.visits.map((visit) => [visit.request, visit]));
  for (const request of changes.requests) {
    const level = levelOf(request);
    if (!isLeft(level)) continue;
    const { id, url, host, address, kind, target, started, ended, status, code, bytes } = request;
    const visit = visits.get(id);
    yield {
      ...{ level, time: ended, event: 'request', kind, url: target, host: hostOf(host), address, code, status, bytes },
      ...{ ms: ended - started, request: id, urlId: url },
      ...(visit !== undefined && { visit: visit.id, links: visit.links, duplicateOf: visit.duplicateOf }),
    };
  }
  const texts = textsOf(store, isLeft('info') ? [...changes.dead, ...changes.denied] : changes.dead);
  for (const { url, at, dead, code, history, letter } of changes.dead) {
    const event = letter ?? (dead ? 'dead' : 'revived');
    const level = event === 'dead' ? 'error' : 'info';
    if (!isLeft(level)) continue;
    const subject = { url: texts.get(url)!, host: hostOf(frontier.urls.hostOf(url)), urlId: url };
    const why = { code, words: OUTCOMES[code].words, attempts: history.length };
    yield { level, time: at, event, ...subject, ...(event === 'dead' && why) };
  }
  if (isLeft('info')) {
    for (const { url, at, denied } of changes.denied) {
      const event = denied ? 'denied' : 'allowed';
      const host = hostOf(frontier.urls.hostOf(url));
      yield { level: 'info', time: at, event, url: texts.get(url)!, host, urlId: url };
    }
  }
  for (const { host, at, kind, until, words } of changes.hostEvents) {
    const level = TROUBLE.has(kind) ? 'warn' : 'info';
    if (isLeft(level)) yield { level, time: at, event: 'host', host: hostOf(host), kind, until: until || null, words };
  }
}

export const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error'];

/** A site without robots.txt has answered all the same. */
function levelOf({ code, kind }: RequestRow): LogLevel {
  const { url, host } = OUTCOMES[code];
  const isWell = host !== 'backoff' && (url === 'done' || (kind === 'robots' && url === 'wait'));
  return isWell || code === 'redirect.same' ? 'info' : 'warn';
}

function textsOf(store: OpenedCrawl['store'], rows: readonly { url: number }[]): Map<number, string> {
  const ids = [...new Set(rows.map(({ url }) => url))].sort((a, b) => a - b);
  return new Map(store.at('urls', ids).map(({ id, url }) => [id, url]));
}
