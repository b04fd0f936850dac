/**
 * The synthetic web: what it is asked, what it answers, and what it promises to know about itself.
 *
 * A web is a pure function from a request to an answer; it holds no clock, no socket and no state. `server.ts` serves
 * one on loopback, and the simulation asks one directly in memory. The three webs are `web-demo.ts` (one of everything
 * a crawler meets), `web-kill.ts` (many small pages, all reachable) and `web-bench.ts` (pages of ordinary size).
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hashLabel } from './web-random.js';

export interface WebRequest {
  /** Host name in lower case, without the port. */
  readonly host: string;
  /** Path and query exactly as sent; starts with `/`. */
  readonly target: string;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the first request that this host was ever asked (0 for that one): the only notion of time a
   * web has, for hosts that behave differently at first. */
  readonly sinceFirst: number;
}

/** Why a web answered as it did, from its own point of view: the server's log counts by these. */
export type AnswerKind =
  | 'page'
  | 'robots'
  | 'sitemap'
  | 'redirect'
  | 'trap' // a page of an endless series
  | 'forbidden' // something the host's robots.txt forbids: no polite crawler ever asks
  | 'throttled'
  | 'not-modified'
  | 'missing'
  | 'error';

export interface WebAnswer {
  readonly status: number;
  /** Header names as sent. No Content-Length: the server adds it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Milliseconds between the request and the first byte of the answer. */
  readonly delay: number;
  readonly kind: AnswerKind;
}

export interface SyntheticWeb {
  readonly seeds: readonly string[];
  /** Hosts that accept connections. */
  readonly hosts: readonly string[];
  /** Hosts that pages link to and whose address refuses connections. */
  readonly down: readonly string[];
  answer(request: WebRequest): WebAnswer;
  /** Normal URLs (DESIGN section 5) of every page that an obedient, complete crawl of the seeds holds in the end:
   * all answers of 200 that no robots rule forbids, endless series left out. Sorted, without duplicates. */
  reachable(): string[];
}

/** Where a web is to live: URLs in its pages carry the port of its server. */
export interface WebPlace {
  readonly port: number;
  /** The address of a host name; webs pick names whose addresses all differ. */
  readonly addressOf: (host: string) => string;
  /** Hosts are called by their addresses, for crawlers that cannot be told where a name leads. */
  readonly isLiteral?: boolean;
  /** URLs are https; names then stand under {@link SECURE_GROUPS} domains, since no certificate may be for `*.test`. */
  readonly isSecure?: boolean;
}

/** The domains of the hosts of a secure web: one certificate with a wildcard for each is enough. */
export const SECURE_GROUPS: readonly string[] = Array.from({ length: 10 }, (_, index) => `group-${index}.test`);

/** The URL of a target of a host at a place. */
export function urlAt(place: WebPlace, host: string, target: string): string {
  return `${place.isSecure ? 'https' : 'http'}://${host}:${place.port}${target}`;
}

/** Makes host names under `.test` whose addresses all differ ("on addresses of their own"): a name whose address is
 * taken gets a number. A /10 has 4 million addresses, so among 2,000 hashed names a collision has probability 0.4. */
export function hostNamer(place: WebPlace): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    for (let number = 1; number < 1000; number++) {
      const domain = place.isSecure ? SECURE_GROUPS[taken.size % SECURE_GROUPS.length]! : 'test';
      const host = number === 1 ? `${name}.${domain}` : `${name}-${number}.${domain}`;
      const address = place.addressOf(host);
      if (taken.has(address)) continue;
      taken.add(address);
      return place.isLiteral ? address : host;
    }
    throw new RangeError(`no address of its own for ${name}`);
  };
}

const NO_BODY = Buffer.alloc(0);

/** An answer without conditions or coding. */
export function plainAnswer(
  kind: AnswerKind,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): WebAnswer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { kind, status, headers: { 'Content-Type': type, ...headers }, body: bytes, delay: 0 };
}

/** A redirect to `location`, absolute or relative. */
export function redirectAnswer(status: 301 | 302 | 307 | 308, location: string, headers: Record<string, string> = {}) {
  return plainAnswer('redirect', status, 'text/plain', `see ${location}\n`, { Location: location, ...headers });
}

/** The same answer with the best coding that the request accepts and `allowed` names; small bodies stay as they are. */
export function coded(request: WebRequest, answer: WebAnswer, allowed: readonly ('gzip' | 'br')[]): WebAnswer {
  if (answer.body.length < 256) return answer;
  const accepted = (request.headers['accept-encoding'] ?? '').split(',').map((item) => item.trim().split(';')[0]);
  const coding = allowed.find((name) => accepted.includes(name));
  if (coding === undefined) return answer;
  const body =
    coding === 'gzip'
      ? gzipSync(answer.body)
      : brotliCompressSync(answer.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  return { ...answer, body, headers: { ...answer.headers, 'Content-Encoding': coding, Vary: 'Accept-Encoding' } };
}

/** Adds ETag and Last-Modified, and answers 304 to a request whose validators match (RFC 9110, 13.2.2: If-None-Match
 * is asked first, and If-Modified-Since only without it). */
export function conditional(request: WebRequest, answer: WebAnswer, lastModified: string): WebAnswer {
  const body = answer.body.toString('latin1');
  const etag = `"${hashLabel(1, body).toString(16)}${hashLabel(2, body).toString(16)}"`;
  const headers = { ...answer.headers, ETag: etag, 'Last-Modified': lastModified };
  const ifNoneMatch = request.headers['if-none-match'];
  const matches =
    ifNoneMatch === undefined
      ? request.headers['if-modified-since'] === lastModified
      : ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (!matches) return { ...answer, headers };
  return { kind: 'not-modified', status: 304, headers: { ETag: etag }, body: NO_BODY, delay: answer.delay };
}
