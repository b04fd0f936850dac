/**
 * One page's way through a worker: fetched, hashed, asked about, archived, parsed, reported. The steps are here; when
 * they run is the thread's business (`page-worker.ts`).
 */
import { hash } from 'node:crypto';
import { cdxjLine } from '../archive/cdxj.js';
import type { Appended, SegmentWriter } from '../archive/segments.js';
import type { Revisit } from '../archive/warc-writer.js';
import { parseSimhash, simhash, simhashHex } from '../dedupe/simhash.js';
import type { FetchResult } from '../fetch/http.js';
import {
  type ArchivedRecord,
  type HeldAnswer,
  type HeldQuestion,
  type LeaseReport,
  type NearQuestion,
  NOTHING_BROUGHT,
  type PageReport,
} from '../frontier/report.js';
import { type DocumentAnswer, type DocumentReading, readDocument, readingOf } from '../parse/documents.js';
import { parseSitemap, type Sitemap } from '../parse/sitemap.js';
import { documentOf, factsOf, type HeavyTypes } from '../parse/stage.js';
import type { LinkScreen, Screened } from './link-screen.js';
import type { DedupeSettings, WorkOrder } from './messages.js';

export interface JobParts {
  screen: LinkScreen;
  warc: SegmentWriter;
  text: SegmentWriter;
  agent: string;
  dedupe: DedupeSettings;
  /** Wall ms of a monotonic time. */
  wallOf: (monotonic: number) => number;
}

/** A fetched lease on its way. */
export interface Job {
  order: WorkOrder;
  result: FetchResult;
  /** SHA-1 of the entity and SHA-256 of the decoded body; null without a body. */
  digest: Buffer | null;
  hash: Buffer | null;
  /** What the body is, once somebody looked; what came of reading it apart from this thread. */
  document?: ReturnType<typeof documentOf>;
  answer?: DocumentAnswer;
}

/** A page that was read; its text is not kept yet, nor are its links taken. */
export interface ReadJob {
  job: Job;
  record: Appended | null;
  report: LeaseReport;
  /** Null if nothing was read that has a text or links. */
  reading: DocumentReading | null;
  /** Links go into the buffer of the reports when this one is made, not before: what is reported meanwhile takes the
   * buffer along. */
  sitemap: Sitemap | null;
}

const MAX_TITLE = 1_000;
/** Bytes of a sitemap's entry beside its URL. */
const ENTRY = 100;
const MAX_VALIDATOR = 1_000;

export function begin(order: WorkOrder, result: FetchResult): Job {
  const hasBody = result.status > 0 && result.payload.length > 0;
  return {
    order,
    result,
    digest: hasBody ? hash('sha1', result.payload, 'buffer') : null,
    hash: hasBody ? hash('sha256', result.body, 'buffer') : null,
  };
}

/** What the main thread is to be asked before the answer is archived; null if nothing. Only pages are kept once. */
export function question(job: Job): HeldQuestion | null {
  if (job.order.kind !== 'page' || job.result.code !== 'ok' || job.digest === null || job.hash === null) return null;
  return { lease: job.order.lease, contentHash: job.hash, payloadDigest: job.digest };
}

/** Archives and parses. */
export function read(job: Job, held: HeldAnswer | null, parts: JobParts): ReadJob {
  const { order, result } = job;
  const record = archive(job, held, parts);
  const report = blank(order, result);
  report.record = record === null ? null : archived(record, job, held, parts);
  if (result.location !== null && result.code === 'redirect') redirect(report, result, order, parts);
  const read: ReadJob = { job, record, report, reading: null, sitemap: null };
  if (order.kind === 'robots') report.robots = result.code === 'ok' ? Uint8Array.from(result.body) : null;
  else if (result.status > 0) page(read, held, parts);
  return read;
}

/** About how many bytes what was read of a body takes until it is finished. */
export function remainsOf({ reading, sitemap }: ReadJob): number {
  let bytes = 2 * (reading?.text.length ?? 0);
  for (const { url } of sitemap?.urls ?? []) bytes += ENTRY + url.length;
  return bytes;
}

/** What the main thread is to be asked before the text is kept; null if nothing. */
export function nearQuestion({ job, report: { page } }: ReadJob): NearQuestion | null {
  const { order, result } = job;
  if (order.kind !== 'page' || result.code !== 'ok' || page === null) return null;
  if (page.simhash === null || page.duplicateOf >= 0) return null;
  return { lease: order.lease, ...parseSimhash(page.simhash) };
}

/** Keeps the text and takes the links, unless another page has them; everything that main has to know.
 * @param near the answer to {@link nearQuestion}, -1 if nothing was asked */
export function finish(read: ReadJob, near: number, parts: JobParts): LeaseReport {
  const { job, record, report, reading, sitemap } = read;
  const { page } = report;
  if (sitemap !== null) take(report, parts.screen.sitemap(sitemap, job.order.target));
  if (page === null || reading === null) return report;
  if (near >= 0) {
    page.duplicateOf = near;
    page.near = true;
  }
  if (takesLinks(page, near, parts.dedupe) && reading.robots.follow) {
    take(report, parts.screen.page(reading.links, reading.base, reading.charset));
  }
  if (page.duplicateOf < 0 && near === -1 && reading.text !== '' && record !== null) {
    keepText(job, reading.text, page, record, parts);
  }
  return report;
}

/** The links of a repeated page are not trusted to be new; an error page has none. */
function takesLinks({ duplicateOf, near: isNear }: PageReport, near: number, rules: DedupeSettings): boolean {
  if (near < -1) return false;
  if (duplicateOf < 0) return true;
  return isNear ? rules.nearLinks : rules.exactLinks;
}

function blank(order: WorkOrder, result: FetchResult): LeaseReport {
  const { status, started, ended, retryAfterMs, bytes } = result;
  // a 304 that nobody asked for says nothing
  const isUnasked = result.code === 'not-modified' && order.kind !== 'robots' && order.held === null;
  const code = isUnasked ? 'http.status' : result.code;
  const blocked = Math.floor(result.blocked);
  const truncated = result.truncated !== null && result.truncated !== 'length';
  const came = { lease: order.lease, code, status, started, ended, blocked, retryAfterMs, bytes, truncated };
  return { ...came, ...NOTHING_BROUGHT };
}

function redirect(report: LeaseReport, result: FetchResult, order: WorkOrder, parts: JobParts): void {
  report.redirect = parts.screen.redirect(result.location!, order.target, result.headers.all('set-cookie'));
  if (report.redirect === null) report.code = 'redirect.invalid';
}

function archive(job: Job, held: HeldAnswer | null, parts: JobParts): Appended | null {
  const { order, result } = job;
  if (result.status === 0 || result.requestHead.length === 0) return null;
  return parts.warc.append({
    url: order.target,
    address: order.connectTo,
    date: parts.wallOf(result.started),
    requestHead: result.requestHead,
    responseHead: result.responseHead,
    payload: result.payload,
    truncated: result.payloadTruncated,
    certificate: result.certificate,
    payloadDigest: job.digest ?? order.held?.payloadDigest ?? undefined,
    revisit: revisitOf(job, held),
  });
}

/** What stands for a body that is held: one that came again, or one that did not come (304). */
function revisitOf({ order, result }: Job, held: HeldAnswer | null): Revisit | undefined {
  if (result.code === 'not-modified' && order.held !== null) {
    return { profile: 'server-not-modified', refersTo: { url: order.held.url, date: order.held.date } };
  }
  if (held?.held !== 'revisit') return undefined;
  return { profile: 'identical-payload-digest', refersTo: { url: held.url, date: held.date } };
}

function archived(record: Appended, job: Job, held: HeldAnswer | null, parts: JobParts): ArchivedRecord {
  const { segment, offset, length } = record;
  const date = parts.wallOf(job.result.started);
  const cdxj = cdxjLine({
    url: job.order.target,
    date,
    status: job.result.status,
    contentType: job.result.headers.get('content-type') ?? '',
    revisit: revisitOf(job, held) !== undefined,
    payloadDigest: record.payloadDigest,
    offset,
    length,
    segment,
  });
  return { segment, offset, length, date, cdxj };
}

function page(read: ReadJob, held: HeldAnswer | null, parts: JobParts): void {
  const { job, report } = read;
  const { order, result } = job;
  const contentType = (result.headers.get('content-type') ?? '').slice(0, MAX_TITLE);
  const facts = factsWithoutReading(job, held, contentType);
  report.page = facts;
  if (result.body.length === 0) return;
  if (result.code === 'http.gone') facts.simhash = errorPrint(job, parts);
  if (result.code !== 'ok') return;
  if (order.kind === 'sitemap') parseAsSitemap(read, contentType, facts);
  else parse(read, facts, parts);
}

function factsWithoutReading({ result, hash, digest }: Job, held: HeldAnswer | null, contentType: string): PageReport {
  return {
    contentType,
    charset: '',
    language: '',
    title: '',
    contentHash: hash,
    payloadDigest: digest,
    simhash: null,
    etag: short(result.headers.get('etag')),
    lastModified: short(result.headers.get('last-modified')),
    text: null,
    index: true,
    links: 0,
    aiPreferences: null,
    parser: 0,
    fields: null,
    duplicateOf: held === null || held.held === 'new' ? -1 : held.of,
    near: false,
  };
}

function parseAsSitemap(read: ReadJob, contentType: string, facts: PageReport): void {
  const { result, order } = read.job;
  const sitemap = parseSitemap(result.body, { url: order.target, contentType });
  facts.links = sitemap.urls.length + sitemap.sitemaps.length;
  read.sitemap = sitemap;
}

function parse(read: ReadJob, facts: PageReport, parts: JobParts): void {
  const { job } = read;
  const { mediaType, input } = job.document ?? documentIn(job, parts.agent);
  const answer = job.answer ?? null;
  const failure = answer !== null && 'failure' in answer ? answer.failure : null;
  const reading =
    answer === null ? readDocument(mediaType, input) : 'answer' in answer ? readingOf(answer.answer, input) : null;
  Object.assign(facts, factsOf(reading, job.result.headers, failure, parts.dedupe.shingles));
  read.reading = reading;
}

/** The fingerprint of an error page: a 200 that is near to it is none. */
function errorPrint(job: Job, parts: JobParts): string | null {
  const { mediaType, input } = documentIn(job, parts.agent);
  const reading = readDocument(mediaType, input);
  const print = reading === null ? null : simhash(reading.text, parts.dedupe.shingles);
  return print === null ? null : simhashHex(print);
}

const documentIn = ({ result, order }: Job, agent: string): Job['document'] & object =>
  documentOf(result.body, order.target, result.headers, agent);

/**
 * True if the body is to be read apart from this thread, before the job is finished; what came of it goes into
 * `job.answer`. Repeated content is not read.
 */
export function isHeavy(job: Job, held: HeldAnswer | null, heavy: HeavyTypes, agent: string): boolean {
  const { order, result } = job;
  if (order.kind !== 'page' || result.code !== 'ok' || result.body.length === 0) return false;
  if (held !== null && held.held !== 'new') return false;
  job.document = documentIn(job, agent);
  if (!heavy.has(job.document.mediaType)) return false;
  if (result.truncated === null) return true;
  job.answer = { failure: 'it is longer than what is read of its type' };
  return false;
}

/** The text record. */
function keepText(job: Job, text: string, facts: PageReport, record: Appended, parts: JobParts): void {
  const date = parts.wallOf(job.result.started);
  const { segment, offset, length } = parts.text.appendConversion({
    url: job.order.target,
    date,
    text,
    refersTo: record.recordId,
    language: facts.language === '' ? null : facts.language,
  });
  facts.text = { segment, offset, length, date, cdxj: '' };
}

function take(report: LeaseReport, links: Screened): void {
  report.from = links.from;
  report.to = links.to;
  report.refused = links.refused;
  report.removed = links.removed;
}

/** A validator that is sent back as it came; an absurd one is not kept. */
const short = (value: string | undefined | null): string | null =>
  value === undefined || value === null || value.length > MAX_VALIDATOR ? null : value;
