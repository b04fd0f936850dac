/**
 * The lives of some URLs as OpenTelemetry traces. A URL has one trace, whatever run a step of it happens in: its id, and
 * whether it is traced at all, follow from the crawl's secret and the URL. Steps are spans, told of after their commit:
 * `admitted`, `visit` (with a `request` in it), `denied`, `dead`, `revived`.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Changes, DeadRow, RequestRow, VisitRow } from '../changes.js';
import type { OpenedCrawl } from '../embedded/open.js';
import { OUTCOMES } from '../errors.js';
import { type Span, SpanExporter } from './span-exporter.js';

/** Leases that are over and not committed yet, of traced URLs. */
const MOST_SETTLED = 10_000;

/**
 * Begins to trace.
 * @param share of the URLs
 * @param say tells that the receiver is away
 */
export function traceTo(
  endpoint: string,
  share: number,
  opened: OpenedCrawl,
  say: (sentence: string) => void,
): { close(): Promise<void> } {
  const exporter = new SpanExporter(endpoint, opened.told, say);
  const lives = new UrlLives(opened, share, (span) => exporter.add(span));
  opened.crawl.onSettled = ({ url, granted }, now) => lives.settled(url, granted, now);
  opened.heard.push((changes) => lives.committed(changes, opened.crawl.now()));
  return {
    close: () => {
      opened.crawl.onSettled = null;
      return exporter.close();
    },
  };
}

type Parts = Pick<OpenedCrawl, 'frontier' | 'store' | 'secret'>;

export class UrlLives {
  readonly #opened: Parts;
  readonly #share: number;
  readonly #emit: (span: Span) => void;
  readonly #salt: number;
  /** When the last lease of a URL was granted, and when it was settled. */
  readonly #settled = new Map<number, { granted: number; at: number }>();

  constructor(opened: Parts, share: number, emit: (span: Span) => void) {
    this.#opened = opened;
    this.#share = share;
    this.#emit = emit;
    this.#salt = createHash('sha256').update('traced').update(opened.secret).digest().readUInt32LE(0);
  }

  /** A lease is over: its rows are in the open batch. */
  settled(url: number, granted: number, at: number): void {
    if (url < 0 || !this.#isTraced(url) || this.#settled.size >= MOST_SETTLED) return;
    this.#settled.set(url, { granted, at });
  }

  /** Rows became durable at `now`. */
  committed(changes: Changes, now: number): void {
    for (const { id, url, host, depth, level, via } of changes.urls) {
      if (!this.#isTraced(id)) continue;
      const attributes = { ...this.#names(url, host), 'saunter.depth': depth, 'saunter.level': level };
      this.#step('admitted', id, now, { ...attributes, 'saunter.via': via }, false);
    }
    const visits = new Map(changes.visits.map((visit) => [visit.request, visit]));
    for (const request of changes.requests) {
      if (request.url >= 0 && this.#isTraced(request.url)) this.#visit(request, visits.get(request.id), now);
    }
    const ends = [
      ...changes.denied.map(({ url, denied }) => ({ url, name: denied ? 'denied' : 'allowed', code: null })),
      ...changes.dead.map((row) => ({ url: row.url, name: stepOf(row), code: row.code })),
    ].filter(({ url }) => this.#isTraced(url));
    const ids = [...new Set(ends.map(({ url }) => url))];
    const texts = new Map(this.#opened.store.at('urls', ids).map((row) => [row.id, row]));
    for (const { url, name, code } of ends) {
      const { url: text, host } = texts.get(url)!;
      const why: Record<string, string> = name === 'dead' && code !== null ? { 'saunter.outcome': code } : {};
      this.#step(name, url, now, { ...this.#names(text, host), ...why }, name === 'dead');
    }
  }

  /** From its lease to its commit, with the request in it. */
  #visit(request: RequestRow, visit: VisitRow | undefined, now: number): void {
    const { id, url, host, target, started, ended, status, code, bytes, address, kind } = request;
    const { granted, at } = this.#settled.get(url) ?? { granted: started, at: ended };
    this.#settled.delete(url);
    const traceId = this.#traceId(url);
    const spanId = newSpanId();
    const isError = OUTCOMES[code].url === 'retry' || OUTCOMES[code].url === 'dead';
    const names = { ...this.#names(target, host), 'saunter.kind': kind, 'saunter.outcome': code };
    this.#emit({
      ...{ traceId, spanId, name: 'visit', isClient: false, isError, start: Math.min(granted, started), end: now },
      attributes: { ...names, 'saunter.url_id': url, 'saunter.request': id, ...(visit && foundBy(visit)) },
      events: [
        { name: 'leased', at: granted },
        { name: 'fetched', at: ended },
        // the worker has archived and read it by then, and the main thread has decided
        { name: 'settled', at },
        { name: 'committed', at: now },
      ],
    });
    const answer = { 'http.response.status_code': status, 'http.response.body.size': bytes };
    this.#emit({
      ...{ traceId, spanId: newSpanId(), parentSpanId: spanId, name: 'request', isClient: true, isError },
      ...{ start: started, end: ended, events: [] },
      attributes: { 'http.request.method': 'GET', ...names, 'network.peer.address': address, ...answer },
    });
  }

  #step(name: string, url: number, at: number, attributes: Span['attributes'], isError: boolean): void {
    const ids = { traceId: this.#traceId(url), spanId: newSpanId() };
    const rest = { isClient: false, isError, start: at, end: at, events: [] };
    this.#emit({ ...ids, name, attributes: { ...attributes, 'saunter.url_id': url }, ...rest });
  }

  #names(url: string, host: number): Record<string, string> {
    return { 'url.full': url, 'server.address': this.#opened.frontier.hosts.names[host] };
  }

  /** A mixer of 32 bits (the finaliser of MurmurHash3, Austin Appleby, public domain). */
  #isTraced(url: number): boolean {
    let h = (url ^ this.#salt) | 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32 < this.#share;
  }

  #traceId(url: number): string {
    return createHash('sha256').update(`trace ${url}`).update(this.#opened.secret).digest('hex').slice(0, 32);
  }
}

/** What the visit brought. */
const foundBy = ({ id, links, changed, duplicateOf, record }: VisitRow): Span['attributes'] => ({
  ...{ 'saunter.visit': id, 'saunter.links': links, 'saunter.changed': changed },
  ...(duplicateOf >= 0 && { 'saunter.duplicate_of': duplicateOf }),
  'saunter.archived_bytes': record?.length ?? 0,
});

const newSpanId = (): string => randomBytes(8).toString('hex');

const stepOf = ({ dead, letter }: DeadRow): string => letter ?? (dead ? 'dead' : 'revived');
