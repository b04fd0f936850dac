/** A crawl directory made by hand: rows and records as a crawl leaves them, without a request. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Appended, SegmentWriter } from '../../src/archive/segments.js';
import {
  type Changes,
  type HostEventRow,
  noChanges,
  type RecordPointer,
  type RobotsRow,
  type VisitRow,
} from '../../src/changes.js';
import type { StoreReader } from '../../src/engines/ports.js';
import { openSqliteReader, openSqliteStore } from '../../src/engines/sqlite.js';
import { hostRow, requestRow, urlRow, visitRow } from '../engines/rows.js';

/** One visit. Visits of one URL follow each other as they stand in the list. */
export interface MadeVisit {
  url: string;
  body?: string | Buffer;
  contentType?: string;
  /** What the page worker made of it; none without. */
  text?: string | null;
  headers?: Record<string, string>;
  visit?: Partial<VisitRow>;
}

export const START = Date.UTC(2026, 0, 1);

export class MadeCrawl {
  readonly dir = mkdtempSync(join(tmpdir(), 'saunter-corpus-'));
  readonly folders = { warc: join(this.dir, 'warc'), text: join(this.dir, 'text') };
  readonly #warc: SegmentWriter;
  readonly #text: SegmentWriter;
  readonly #segments = new Map<string, number>();
  readonly #hosts = new Map<string, number>();
  readonly #urls = new Map<string, number>();
  #changes: Changes = noChanges();
  #ids = { requests: 0, visits: 0 };
  #sequence = 0;
  readonly #store;
  #epoch = 0;

  constructor() {
    for (const folder of Object.values(this.folders)) mkdirSync(folder);
    const common = { prefix: 'made-1-0', info: { software: 'Made/1' }, clock: { wall: () => START } };
    this.#warc = new SegmentWriter({ ...common, dir: this.folders.warc, kind: 'warc' });
    this.#text = new SegmentWriter({ ...common, dir: this.folders.text, kind: 'text' });
    this.#store = openSqliteStore(join(this.dir, 'crawl.sqlite'), { create: true, reads: 'calling' });
    this.#changes.meta.push(['crawl.id', 'made'], ['key.secret', '00'.repeat(16)], ['options.frozen', '[]']);
  }

  static async of(visits: readonly MadeVisit[]): Promise<MadeCrawl> {
    const made = new MadeCrawl();
    for (const visit of visits) made.visit(visit);
    await made.close();
    return made;
  }

  /** Id of a URL, which becomes known with the first call. */
  url(url: string): number {
    const known = this.#urls.get(url);
    if (known !== undefined) return known;
    const { hostname } = new URL(url);
    let host = this.#hosts.get(hostname);
    if (host === undefined) {
      host = this.#hosts.size;
      this.#hosts.set(hostname, host);
      this.#changes.hosts.push(hostRow(host, { name: hostname }));
    }
    const id = this.#urls.size;
    this.#urls.set(url, id);
    this.#changes.urls.push(urlRow(id, { url, host, via: -1, depth: id % 5 }));
    return id;
  }

  visit(made: MadeVisit): number {
    const url = this.url(made.url);
    const id = this.#ids.visits++;
    const request = this.#ids.requests++;
    const at = START + id * 1000;
    const contentType = made.contentType ?? 'text/html; charset=utf-8';
    const body = Buffer.from(made.body ?? '');
    const record = this.#warc.append({
      ...{ url: made.url, address: '192.0.2.1', date: at, truncated: null },
      requestHead: Buffer.from('GET / HTTP/1.1\r\nHost: made\r\n\r\n'),
      responseHead: Buffer.from(responseHead(contentType, { 'Content-Encoding': 'gzip', ...made.headers })),
      payload: gzipSync(body, { level: 1 }),
    });
    const pointer = this.#pointer(record, 'warc');
    const text =
      typeof made.text === 'string'
        ? this.#text.appendConversion({ url: made.url, date: at, text: made.text, refersTo: record.recordId })
        : null;
    const host = this.#hosts.get(new URL(made.url).hostname)!;
    this.#changes.requests.push(
      requestRow(request, { url, host, target: made.url, started: at, ended: at, record: pointer }),
    );
    this.#changes.visits.push(
      visitRow(id, {
        ...{ url, request, at, contentType, record: pointer, parser: 1, simhash: null },
        text: text === null ? null : this.#pointer(text, 'text'),
        contentHash: createHash('sha256').update(body).digest(),
        payloadDigest: record.payloadDigest,
        ...made.visit,
      }),
    );
    return id;
  }

  /** An answer to the robots.txt of an origin whose host is known, so many ms after {@link START}. */
  robots(origin: string, after: number, body: string | null, code: RobotsRow['code'] = 'ok'): void {
    const host = this.#hosts.get(new URL(origin).hostname)!;
    const status = code === 'ok' ? 200 : code === 'http.gone' ? 404 : 503;
    const bytes = body === null ? null : Buffer.from(body);
    const nothing = { failures: 0, failingSince: null, request: -1 };
    this.#changes.robots.push({ origin, host, at: START + after, status, code, body: bytes, ...nothing });
  }

  /** Something that happened to the host of a URL. */
  event(url: string, event: Partial<HostEventRow> & Pick<HostEventRow, 'kind'>): void {
    const host = this.#hosts.get(new URL(url).hostname)!;
    this.#changes.hostEvents.push({ host, at: START, until: 0, value: 0, words: '', ...event });
  }

  /** Commits what was made so far. */
  async commit(): Promise<void> {
    this.#warc.flush();
    this.#text.flush();
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#epoch === 0) this.#epoch = await this.#store.beginEpoch();
    await this.#store.commit({ epoch: this.#epoch, sequence: ++this.#sequence, changes: this.#changes });
    this.#changes = noChanges();
  }

  async close(): Promise<void> {
    for (const [writer, kind] of [
      [this.#warc, 'warc'],
      [this.#text, 'text'],
    ] as const) {
      writer.close();
      for (const { name, length } of writer.takeClosed()) {
        const id = this.#segments.get(name)!;
        this.#changes.segments.push({ id, name, kind, at: START, closed: true, length });
      }
    }
    await this.#write();
    this.#store.close();
  }

  read(): StoreReader {
    return openSqliteReader(join(this.dir, 'crawl.sqlite'));
  }

  #pointer({ segment, offset, length }: Appended, kind: 'warc' | 'text'): RecordPointer {
    let id = this.#segments.get(segment);
    if (id === undefined) {
      id = this.#segments.size;
      this.#segments.set(segment, id);
      this.#changes.segments.push({ id, name: segment, kind, at: START, closed: false, length: 0 });
    }
    return { segment: id, offset, length };
  }
}

const responseHead = (contentType: string, headers: Record<string, string>): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
