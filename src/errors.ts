/**
 * The outcome table: every way a request can end, and what it means for the URL, for its host and for the retry.
 *
 * Other code never decides these effects by itself: it names a code and asks {@link OUTCOMES}. `docs/errors.md` is
 * generated from this table.
 */

/** What happens to the URL: `done` for good, `retry` by the ladder (an attempt is charged), `wait` (returns to its
 * queue, nothing is charged: the host pays), `dead` at once. */
export type UrlEffect = 'done' | 'retry' | 'wait' | 'dead';

/** What happens to the host: `success` halves its penalty back, `backoff` doubles it (or obeys Retry-After),
 * `unreachable` counts towards offline, `nxdomain` counts towards offline faster, `none` leaves it alone. */
export type HostEffect = 'success' | 'backoff' | 'unreachable' | 'nxdomain' | 'none';

interface Outcome {
  readonly url: UrlEffect;
  readonly host: HostEffect;
  /** What the user reads: what happened, in words that follow the URL. */
  readonly words: string;
}

const row = (url: UrlEffect, host: HostEffect, words: string): Outcome => ({ url, host, words });

export const OUTCOMES = {
  // -- an answer came
  ok: row('done', 'success', 'answered'),
  'not-modified': row('done', 'success', 'has not changed since the last visit (304)'),
  redirect: row('done', 'success', 'redirects to another URL'),
  'redirect.same': row('wait', 'success', 'redirects to another spelling of itself'),
  'redirect.chain': row('done', 'success', 'redirects too often, or in a circle'),
  'redirect.invalid': row('done', 'success', 'redirects to something that is not an http(s) URL'),
  'http.gone': row('done', 'success', 'does not exist (404 or 410)'),
  'http.soft404': row('done', 'success', 'is an error page that claims to be none (200)'),
  'http.client': row('done', 'success', 'was refused by the server (4xx)'),
  'http.throttled': row('wait', 'backoff', 'asked us to slow down (429 or 503)'),
  'http.server': row('retry', 'success', 'failed on the server (5xx)'),
  'http.status': row('done', 'success', 'answered with a status that means nothing here'),
  // -- an answer came, and we did not want all of it
  'body.length': row('done', 'success', 'announces a body over the size cap'),
  'body.type': row('done', 'success', 'is of a type that nobody handles'),
  'body.refused': row('done', 'success', 'is of a content type that a rule rejects'),
  'decode.bomb': row('done', 'success', 'decompresses to far more than it should'),
  'decode.failed': row('done', 'success', 'has a content coding that cannot be read'),
  // -- no usable answer came
  'dns.nxdomain': row('retry', 'nxdomain', 'has a host name that does not exist'),
  'dns.timeout': row('retry', 'unreachable', 'has a host name that no resolver answered for in time'),
  'dns.failed': row('retry', 'unreachable', 'has a host name that could not be resolved'),
  'guard.address': row('dead', 'none', 'has an address that is not public'),
  'guard.port': row('dead', 'none', 'names a port that is not fetched from'),
  'guard.own': row('dead', 'none', 'leads to a socket of the crawler itself'),
  'guard.family': row('dead', 'none', 'has only addresses of a family that a rule rejects'),
  'guard.hook': row('dead', 'none', 'was refused by the fetch hook of the program'),
  'connect.refused': row('retry', 'unreachable', 'has a server that refuses connections'),
  'connect.timeout': row('retry', 'unreachable', 'has a server that did not accept a connection in time'),
  'connect.failed': row('retry', 'unreachable', 'has a server that cannot be reached'),
  'connect.elsewhere': row('wait', 'none', 'was not reached at one of its addresses; the next is tried'),
  'tls.expired': row('retry', 'unreachable', 'has a certificate that has expired or is not valid yet'),
  'tls.name': row('retry', 'unreachable', 'has a certificate for another name'),
  'tls.untrusted': row('retry', 'unreachable', 'has a certificate of an issuer that is not known'),
  'tls.certificate': row('retry', 'unreachable', 'has a certificate that is not valid'),
  'tls.failed': row('retry', 'unreachable', 'failed the TLS handshake'),
  'read.first-byte': row('retry', 'none', 'did not begin to answer in time'),
  'read.timeout': row('retry', 'none', 'did not finish its answer in time'),
  'read.slow': row('retry', 'none', 'answers too slowly'),
  'read.closed': row('retry', 'none', 'closed the connection before its answer was complete'),
  'read.reset': row('retry', 'none', 'reset the connection'),
  'http.malformed': row('retry', 'none', 'answers with something that is not HTTP'),
  'http.headers': row('retry', 'none', 'sends headers over the size cap'),
  // -- robots
  'robots.denied': row('done', 'none', 'is forbidden by robots.txt'),
  // -- our own faults
  'worker.crash': row('retry', 'none', 'was being processed when its worker crashed'),
  'worker.hang': row('retry', 'none', 'was being processed when its worker stopped answering'),
  'worker.crash-alone': row('dead', 'none', 'crashed a worker before, and then one that it had for itself'),
  'worker.hang-alone': row('dead', 'none', 'killed a worker before, and hung one that it had for itself'),
  'lease.lost': row('retry', 'none', 'was being fetched when the crawl was killed'),
  'lease.returned': row('wait', 'none', 'was returned to its queue unfetched'),
} as const satisfies Record<string, Outcome>;

export type OutcomeCode = keyof typeof OUTCOMES;

/** Outcomes that say a page killed the worker that it shared with others: from then on it gets one for itself. */
export const KILLS_WORKER: ReadonlySet<OutcomeCode> = new Set(['worker.crash', 'worker.hang']);

/** Outcomes after which a URL has no page any more; after any other failure it keeps the one it had. */
export const ENDS_PAGE: ReadonlySet<OutcomeCode> = new Set(['http.gone', 'http.soft404', 'redirect']);

/** An error that a user meets: `message` says what happened, to what, and what to do. The command line prints it
 * without a stack and exits with `exitCode` (1 failed, 2 usage). */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
