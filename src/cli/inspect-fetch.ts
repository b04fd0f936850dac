/**
 * `inspect fetch`: one request as the crawler would make it (resolver, address guard, HTTP client, content codings), or
 * a body from a file as if it had been answered. No robots.txt is asked and nothing is remembered; but never two
 * requests at once to a host or an address, and beyond this machine the delay between them is kept.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { checkReach } from '../config/load-config.js';
import { fetchSettings, resolverOptions } from '../embedded/parts.js';
import { servicesOf } from '../embedded/services.js';
import { systemClock } from '../engines/system.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';
import { type AddressGuard, createGuard } from '../fetch/address-guard.js';
import { type BodyCaps, createFetcher, type Fetcher } from '../fetch/fetcher.js';
import { type FetchResult, HttpClient } from '../fetch/http.js';
import { readEntity } from '../fetch/http-entity.js';
import { HeaderList } from '../fetch/http-headers.js';
import { DnsResolver } from '../fetch/resolver.js';
import { HeavyTypes } from '../parse/stage.js';
import { parseUrl } from '../parse-url.js';
import { formatCount, formatDuration } from '../units.js';
import { normalizeUrl } from '../url/normalize.js';
import { type Case, type InspectKind, optional, plainBytesOf, type Row, required, WrongCase } from './inspect-case.js';
import { KeyedTurns } from './keyed-turns.js';

/** Outcomes that only say what the status says: no errors of the fetch. */
const SAID_BY_STATUS: ReadonlySet<OutcomeCode> = new Set([
  'ok',
  'not-modified',
  'redirect',
  'http.gone',
  'http.client',
  'http.throttled',
  'http.server',
  'http.status',
]);

/** Why no request was made. */
interface Refused {
  code: OutcomeCode;
  words: string;
}

interface Fetched {
  url: URL;
  /** Where the addresses came from (`dns`, `hosts`, ...), and the one that was chosen. */
  source: string;
  address: string;
  result: FetchResult;
}

export class FetchInspector implements InspectKind {
  readonly subject = 'url';
  readonly reads = ['url', 'file', 'content', 'content_b64', 'contentEncoding'];
  readonly #config: Config;
  readonly #userAgent: string;
  readonly #signal: AbortSignal;
  readonly #resolver: DnsResolver;
  readonly #guard: Promise<AddressGuard>;
  readonly #client: HttpClient;
  readonly #fetcher: Fetcher;
  readonly #pageCaps: BodyCaps;
  readonly #turns: KeyedTurns;

  /** @param signal ends what is under way */
  constructor(config: Config, userAgent: string, signal: AbortSignal) {
    this.#config = config;
    this.#userAgent = userAgent;
    this.#signal = signal;
    setMaxListeners(0, signal); // every request and every wait listens
    this.#resolver = new DnsResolver({ ...resolverOptions(config), clock: systemClock.monotonic });
    this.#guard = guardOf(config);
    const { timeouts, maxHeaderBytes, refuseCertificates, caps, pdf } = fetchSettings({ config, userAgent });
    const tls = { rejectUnauthorized: refuseCertificates };
    this.#client = new HttpClient({ timeouts, maxHeaderBytes, tls, maxIdleSockets: 0 });
    const heavy = new HeavyTypes([]);
    const accepts = heavy.accepts.bind(heavy);
    this.#fetcher = createFetcher({ userAgent, client: this.#client, caps, pdf, accepts });
    this.#pageCaps = caps.page;
    this.#turns = new KeyedTurns(systemClock.monotonic, (ms) => sleep(ms, undefined, { signal }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async answer(input: Case): Promise<Record<string, unknown>> {
    if (optional(input, 'url') === undefined) return answerOfBody(input, this.#pageCaps);
    const fetched = await this.#fetch(required(input, 'url', 'url or file'));
    if ('code' in fetched) return { ...NOTHING, error: fetched.code };
    const { result, url } = fetched;
    const { code, status, body, truncated, location, retryAfterMs } = result;
    if (status === 0) return { ...NOTHING, error: code };
    const target = location === null ? null : targetOf(location, url);
    const isLost = code === 'redirect' && target === null;
    return {
      status,
      error: isLost ? 'redirect.invalid' : SAID_BY_STATUS.has(code) ? null : code,
      bodySha1: sha1(body),
      length: body.length,
      truncated: truncated !== null,
      location: target,
      retryAfterMs,
    };
  }

  async explain(input: Case): Promise<Row[]> {
    if (optional(input, 'url') === undefined) return explainBody(await answerOfBody(input, this.#pageCaps));
    const fetched = await this.#fetch(required(input, 'url', 'url or file'));
    if ('code' in fetched) return refusalRows(fetched);
    return [
      ['request', `GET ${fetched.url.href} as ${this.#userAgent}`],
      ['address', `${fetched.address} (${SOURCES[fetched.source] ?? fetched.source})`],
      ...resultRows(fetched),
    ];
  }

  async #fetch(text: string): Promise<Fetched | Refused> {
    const url = /^\s*https?:/i.test(text) ? parseUrl(text) : null;
    if (url === null) throw new WrongCase('url', `${text} is no http(s) URL`);
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const guard = await this.#guard;
    const refused = guard.checkPort(port);
    if (refused !== null) return { code: refused.code, words: refused.reason };
    return this.#turns.run(url.hostname, () => this.#fetchFrom(url, port, guard));
  }

  async #fetchFrom(url: URL, port: number, guard: AddressGuard): Promise<{ value: Fetched | Refused; gap: number }> {
    const nothing = (code: OutcomeCode, words: string) => ({ value: { code, words }, gap: 0 });
    const resolved = await this.#resolver.resolve(url.hostname);
    if ('code' in resolved) return nothing(resolved.code, `${url.hostname} ${OUTCOMES[resolved.code].words}`);
    // the operator typed this URL: its host is named
    const refusals = resolved.addresses.map(
      (address) =>
        guard.checkSocket(url.hostname.replace(/\.$/, ''), address, port) ??
        guard.checkAddress(address, { named: true }),
    );
    const at = refusals.indexOf(null);
    if (at < 0) {
      const { code, reason } = refusals[0]!;
      return nothing(
        code,
        code === 'guard.own' ? reason : `${reason}: open its range with --allow-private if you mean it`,
      );
    }
    const address = resolved.addresses[at];
    const isHere = /^127\.|^::1$/.test(address);
    checkReach(this.#config, isHere ? null : url.hostname);
    const gap = isHere ? 0 : this.#config.delay;
    const result = await this.#turns.run(`@${address}`, async () => {
      const value = await this.#fetcher.fetch({ kind: 'page', url: url.href, address, signal: this.#signal });
      return { value, gap };
    });
    return { value: { url, source: resolved.source, address, result }, gap };
  }
}

async function guardOf(config: Config): Promise<AddressGuard> {
  return createGuard({ allowPrivate: config.allowPrivate, refuse: await servicesOf(config) });
}

const SOURCES: Readonly<Record<string, string>> = {
  pin: 'by --resolve',
  literal: 'as the URL says',
  hosts: 'by the hosts file',
  dns: 'by DNS',
  cache: 'by DNS, a moment ago',
};

const NOTHING = {
  status: null,
  error: null,
  bodySha1: null,
  length: 0,
  truncated: false,
  location: null,
  retryAfterMs: null,
} as const;

const sha1 = (body: Buffer): string => createHash('sha1').update(body).digest('hex');

/** Where a redirect leads; null if that is no http(s) URL. */
function targetOf(location: string, url: URL): string | null {
  const target = parseUrl(location, url);
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? target.href : null;
}

/** A body as a page whose server said so much about its codings. */
async function answerOfBody(input: Case, caps: BodyCaps) {
  const payload = plainBytesOf(input, 'content');
  const coding = optional(input, 'contentEncoding');
  const headers = new HeaderList(coding === undefined ? [] : [['content-encoding', coding]]);
  const { body, code, cut } = await readEntity(payload.subarray(0, caps.wire), headers, { ...caps, lengthStops: true });
  const truncated = cut || payload.length > caps.wire;
  const error = code === 'ok' ? null : code;
  return { ...NOTHING, error, bodySha1: sha1(body), length: body.length, truncated };
}

function explainBody({ error, bodySha1, length, truncated }: Awaited<ReturnType<typeof answerOfBody>>): Row[] {
  const rows: Row[] = [['decoded', `${formatCount(length)} bytes, SHA-1 ${bodySha1}`]];
  if (error !== null) rows.push(['error', `${error}: it ${OUTCOMES[error].words}`]);
  if (truncated) rows.push(['cut', 'at the size cap']);
  return rows;
}

function refusalRows({ code, words }: Refused): Row[] {
  return [
    ['no request', words],
    ['code', code],
  ];
}

const TRUNCATIONS: Readonly<Record<string, string>> = {
  length: 'at the size cap',
  time: 'when its time was over',
  disconnect: 'by the server, which closed the connection early',
};

function resultRows({ url, result }: Fetched): Row[] {
  const { code, status, reason, body, payload, headers } = result;
  const rows: Row[] = [];
  const took = formatDuration(Math.round(result.ended - result.started));
  if (status > 0) rows.push(['answer', [status, reason && `${reason},`, `after ${took}`].filter(Boolean).join(' ')]);
  const words = code === 'lease.returned' ? 'was given up' : OUTCOMES[code].words;
  rows.push(['outcome', `${code}: the URL ${words}${result.detail ? ` (${result.detail})` : ''}`]);
  if (status === 0) return [...rows, ['after', took]];
  rows.push(['type', headers.get('content-type') ?? 'not said']);
  const coding = headers.get('content-encoding');
  rows.push(['received', `${formatCount(payload.length)} bytes${coding === null ? '' : `, coded as ${coding}`}`]);
  rows.push(['decoded', `${formatCount(body.length)} bytes, SHA-1 ${sha1(body)}`]);
  if (result.certificate !== null)
    rows.push(['certificate', `${result.certificate}: ${OUTCOMES[result.certificate].words}`]);
  if (result.truncated !== null) rows.push(['cut', TRUNCATIONS[result.truncated]]);
  if (result.location !== null) rows.push(['redirect', redirectWords(result.location, url)]);
  if (result.retryAfterMs !== null) rows.push(['Retry-After', formatDuration(result.retryAfterMs)]);
  return rows;
}

/** Whether a redirect keeps its lease (one key) or is another URL (DESIGN 5). */
function redirectWords(location: string, url: URL): string {
  const target = targetOf(location, url);
  if (target === null) return `to ${location}, which is no http(s) URL`;
  const isSame = normalizeUrl(target).url === normalizeUrl(url.href).url;
  return `to ${target}, ${isSame ? 'another spelling of the same page' : 'another page'}`;
}
