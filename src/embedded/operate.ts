/** What an operator may ask of a crawl that runs: block a host, unblock it, take dead URLs back, drop their letters. The same words reach a
 * stopped crawl by `operate-stopped.ts`. */
import { setImmediate as turn } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { UrlState } from '../frontier/url-table.js';
import { nearest } from '../nearest.js';
import { parseDuration } from '../units.js';
import { hostOf } from '../url/normalize.js';
import type { OpenedCrawl } from './open.js';

export type OperatorRequest =
  /** `for`: ms after which the block ends by itself. */
  | { readonly verb: 'block'; readonly host: string; readonly reason: string; readonly for?: number }
  | { readonly verb: 'unblock'; readonly host: string }
  | LetterRequest;

/** Of the dead letters of a host, of one URL, or (with neither) of all: the URLs are pending again, the letters are
 * dropped, or those that were dropped are brought back. */
export interface LetterRequest {
  readonly verb: (typeof LETTER_VERBS)[number];
  readonly url?: string;
  readonly host?: string;
}
const LETTER_VERBS = ['retry', 'drop', 'restore'] as const;

export interface OperatorAnswer {
  /** The host as the crawl calls it, or the URL; '' for all. */
  readonly subject: string;
  /** Hosts or URLs that are in another state than before: 0 if all was so already. */
  readonly changed: number;
  /** Pending URLs of a host that is blocked or unblocked now. */
  readonly pending: number;
  /** When its block ends by itself (wall ms), null for never. */
  readonly until?: number | null;
  /** Of a block: the crawl has no URL of the host and never asked it for anything; the host it knows that is most like it. */
  readonly met?: false;
  readonly near?: string | null;
}

const LONGEST_REASON = 1_000;
const LONGEST_URL = 65_536;
/** URLs that are looked at in one turn of the loop. */
const SLICE = 50_000;
/** Changes that may wait for their commit. */
const MOST_OPEN = 10_000;

/**
 * Checks a request that came from outside.
 * @throws UserError (usage) that says what is wrong with it
 */
export function readRequest(value: unknown): OperatorRequest {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { verb } = fields;
  if (verb === 'block') {
    const host = hostName(fields.host);
    const reason = textOf(fields.reason, LONGEST_REASON);
    return fields.for === undefined ? { verb, host, reason } : { verb, host, reason, for: blockTime(fields.for) };
  }
  if (verb === 'unblock') return { verb, host: hostName(fields.host) };
  const letters = LETTER_VERBS.find((known) => known === verb);
  if (letters !== undefined) {
    if (fields.url !== undefined) return { verb: letters, url: textOf(fields.url, LONGEST_URL) };
    return fields.host === undefined ? { verb: letters } : { verb: letters, host: hostName(fields.host) };
  }
  throw new UserError('There is no such command: give block, unblock, retry, drop or restore.', 2);
}

/** How long a block may last that ends by itself. */
const LONGEST_BLOCK = parseDuration('3650d');

/** @throws UserError (usage) */
export function blockTime(value: unknown): number {
  const ms = parseDuration(value);
  if (ms >= 1 && ms <= LONGEST_BLOCK) return ms;
  throw new UserError(
    `A host cannot be blocked for ${JSON.stringify(value)}: give a duration such as 30m, 2h or 7d.`,
    2,
  );
}

/** The name that a crawl has for a host, from a name or a URL as people write them.
 * @throws UserError (usage) */
export function hostName(value: unknown): string {
  const text = typeof value === 'string' && value.length <= LONGEST_URL ? value.trim() : '';
  const host = text === '' ? null : hostOf(text.includes('://') ? text : `http://${bracketed(text)}/`);
  if (host !== null && (text.includes('://') || !/[/?#@\\]/.test(text))) return host;
  throw new UserError(`"${text.slice(0, 100)}" is no host name: give one such as www.example.org.`, 2);
}

/** An IPv6 address stands in brackets in a URL. */
const bracketed = (text: string): string => (/^[0-9a-f:]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text);

/** A string without control characters.
 * @throws UserError (usage) if it is none, or longer than `longest` */
function textOf(value: unknown, longest: number): string {
  if (typeof value === 'string' && value.length <= longest && !/[\0-\x1f\x7f]/.test(value)) return value;
  throw new UserError(`A text of at most ${longest} characters on one line is needed.`, 2);
}

/** Does what is asked, and answers when it is durable. */
export async function operate(opened: OpenedCrawl, request: OperatorRequest): Promise<OperatorAnswer> {
  const answer = await decide(opened, request);
  opened.crawl.steered();
  await opened.batches.durable();
  return answer;
}

function decide(opened: OpenedCrawl, request: OperatorRequest): OperatorAnswer | Promise<OperatorAnswer> {
  const { frontier, admission, batches, crawl } = opened;
  if (request.verb !== 'block' && request.verb !== 'unblock') return letters(opened, request);
  const { host: name } = request;
  // a host that is not known yet can be blocked all the same: it is known from then on
  const isNew = request.verb === 'block' && frontier.hosts.find(name) < 0;
  if (isNew && opened.land.isListed?.(name)) return { subject: name, changed: 0, pending: 0, until: null };
  const host = isNew ? admission.hostOf(name, false, crawl.now(), batches.open) : frontier.hosts.find(name);
  if (host < 0) throw isNew ? tooManyHosts(name) : notMet(name);
  const now = crawl.now();
  const changed =
    request.verb === 'block'
      ? frontier.block(host, request.reason, now, batches.open, blockEnd(request.for, now))
      : frontier.unblock(host, now, batches.open);
  const until = frontier.blockedUntil(host) || null;
  const answer = { subject: name, changed: changed ? 1 : 0, pending: frontier.hosts.queued[host], until };
  if (request.verb !== 'block' || !frontier.isStranger(host)) return answer;
  return { ...answer, met: false, near: nearHost(name, frontier.hosts.names) };
}

/** Names that are looked at for one that is like another. */
const MOST_NAMES = 10_000;

/** The host that somebody may have meant. A long list is not searched to its end: a crawl that runs must not wait. */
export const nearHost = (name: string, names: readonly string[]): string | null =>
  nearest(name, names.slice(0, MOST_NAMES).filter((known) => known !== name)); // biome-ignore format: short

/** When a block ends by itself that begins now; 0 for never. */
export const blockEnd = (ms: number | undefined, now: number): number => (ms === undefined ? 0 : Math.ceil(now + ms));

async function letters(opened: OpenedCrawl, request: LetterRequest): Promise<OperatorAnswer> {
  const { frontier, admission, batches, crawl, land } = opened;
  if (request.url !== undefined) {
    const normal = land.normalize(request.url);
    const url = normal.url === null ? -1 : admission.find(...land.keyOf(normal.url));
    if (url < 0) throw notKnown(request.url);
    return { subject: request.url, changed: act(opened, request.verb, url) ? 1 : 0, pending: 0 };
  }
  const host = request.host === undefined ? -1 : frontier.hosts.find(request.host);
  if (request.host !== undefined && host < 0) throw notMet(request.host);
  const isDropped = request.verb === 'restore';
  let changed = 0;
  let open = 0;
  for (let url = 0; url < frontier.urls.size; url++) {
    if (url % SLICE === SLICE - 1) await turn();
    if (changed - open >= MOST_OPEN) {
      open = changed;
      crawl.wake();
      await batches.durable();
    }
    if (frontier.urls.state(url) !== UrlState.dead || frontier.letters.has(url) !== isDropped) continue;
    if ((host < 0 || frontier.urls.hostOf(url) === host) && act(opened, request.verb, url)) changed++;
  }
  return { subject: request.host ?? '', changed, pending: 0 };
}

/** True if the URL, or its letter, is in another state than before. */
function act({ frontier, batches, crawl }: OpenedCrawl, verb: LetterRequest['verb'], url: number): boolean {
  if (verb === 'drop') return frontier.letters.drop(url, crawl.now(), batches.open);
  if (verb === 'restore') return frontier.letters.restore(url, crawl.now(), batches.open);
  return frontier.revive(url, crawl.now(), batches.open);
}

export const notMet = (host: string): UserError => new UserError(`This crawl has never met the host ${host}.`);

export const notKnown = (url: string): UserError =>
  url.includes('://')
    ? unmet(url)
    : new UserError(`"${url}" is no URL: give all of it, such as https://www.example.org/page.`, 2);

const unmet = (url: string): UserError =>
  new UserError(`This crawl does not know the URL ${url}: it was never a seed, and no page that was read links to it.`);

const tooManyHosts = (host: string): UserError =>
  new UserError(
    `${host} cannot be met any more, so there is nothing to block: its domain has all the hosts it may have.`,
  );
