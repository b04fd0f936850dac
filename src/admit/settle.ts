/**
 * Settling a lease: from what a page worker reports to what the frontier is told, what becomes known, and the rows that
 * make it durable. Pure: time is an argument, rows go to the caller's sink.
 */
import type { Changes, RecordPointer, RequestRow, SegmentRow, VisitRow } from '../changes.js';
import type { OutcomeCode } from '../errors.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease, LeaseOutcome, Settled } from '../frontier/lease.js';
import type { ArchivedRecord, LeaseReport, RedirectTarget } from '../frontier/report.js';
import type { NormalUrl } from '../url/normalize.js';
import type { PackedLinks } from '../url/packed-links.js';
import type { Admission } from './admission.js';
import type { Duplicates, Judgement } from './duplicates.js';
import { hasChanged } from './page-change.js';
import { RecentRedirects } from './recent-redirects.js';
import type { RobotsDesk } from './robots-desk.js';

export interface SettleOptions {
  /** Same-key redirects that one lease follows. */
  sameRedirects: number;
  /** Is a host in a range that the operator opened? Its links may lead to hosts in there. */
  isInside: (address: string) => boolean;
  /** A seed redirected out of scope: its target's domain joins, and somebody says so. */
  onSeedMoved: (to: NormalUrl) => void;
}

/** Ids that the owner gives: the next free one of each table. */
export interface NextIds {
  requests: number;
  visits: number;
}

export class Settlement {
  readonly #frontier: Frontier;
  readonly #admission: Admission;
  readonly #duplicates: Duplicates;
  readonly #robots: RobotsDesk;
  readonly #options: SettleOptions;
  readonly ids: NextIds;
  readonly #redirects = new RecentRedirects();
  readonly #segments = new Map<string, { id: number; kind: SegmentRow['kind'] }>();

  constructor(parts: {
    frontier: Frontier;
    admission: Admission;
    duplicates: Duplicates;
    robots: RobotsDesk;
    ids: NextIds;
    options: SettleOptions;
  }) {
    this.#frontier = parts.frontier;
    this.#admission = parts.admission;
    this.#duplicates = parts.duplicates;
    this.#robots = parts.robots;
    this.#options = parts.options;
    this.ids = parts.ids;
  }

  /** A segment that the store knows already. */
  restoreSegment({ id, name, kind }: SegmentRow): void {
    this.#segments.set(name, { id, kind });
  }

  /** Ends a lease. `report.started` and `ended` are on the loop's clock here. */
  settle(lease: Lease, report: LeaseReport, links: PackedLinks, now: number, changes: Changes): Settled['url'] {
    const request = this.ids.requests++;
    const record = this.#pointer(report.record, 'warc', now, changes);
    if (lease.kind === 'robots') return this.#settleRobots(lease, report, request, record, now, changes);
    const { code, keep } = this.#judge(lease, report);
    const judgement = this.#duplicates.judge(lease, { ...report, code });
    const settled = this.#frontier.done(lease, outcomeOf(report, judgement.code), keep, now, changes);
    changes.requests.push(requestRow(request, lease, report, settled, record));
    if (settled.url === 'done') this.#visit(lease, report, judgement, request, record, links, now, changes);
    return settled.url;
  }

  #settleRobots(
    lease: Lease,
    report: LeaseReport,
    request: number,
    record: RecordPointer | null,
    now: number,
    changes: Changes,
  ): Settled['url'] {
    const settled = this.#frontier.done(lease, outcomeOf(report, report.code), null, now, changes);
    const row = requestRow(request, lease, report, settled, record);
    changes.requests.push(row);
    this.#robots.answer(lease, { ...report, code: settled.code }, request, now, changes);
    Object.assign(row, this.#frontier.owedAfter(lease, settled)); // the first request that owes its Crawl-delay
    return settled.url;
  }

  /** A redirect to the same key keeps the lease; everything else ends it. */
  #judge(lease: Lease, report: LeaseReport): { code: OutcomeCode; keep: Lease | null } {
    const { redirect } = report;
    if (report.code !== 'redirect' || redirect === null) return { code: report.code, keep: null };
    const to = this.#admission.find(redirect.keyHi, redirect.keyLo);
    if (to !== lease.url)
      return { code: this.#redirects.lead(to, lease.url) ? 'redirect.chain' : 'redirect', keep: null };
    const again = redirect.to.fetch === lease.target;
    // a redirect to the very same URL is a loop, unless it set a cookie that it has not seen yet
    if (
      lease.redirects >= this.#options.sameRedirects ||
      (again && (redirect.cookie === null || lease.cookie !== null))
    )
      return { code: 'redirect.chain', keep: null };
    // scheme, port and spelling may differ, and so may the host name: then the lease cannot go on at this host's clock
    if (redirect.to.host !== this.#frontier.hosts.names[lease.host]) return { code: 'redirect', keep: null };
    return {
      code: 'redirect.same',
      keep: {
        ...lease,
        target: redirect.to.fetch,
        redirects: lease.redirects + 1,
        cookie: again ? redirect.cookie : null,
      },
    };
  }

  #visit(
    lease: Lease,
    report: LeaseReport,
    judgement: Judgement,
    request: number,
    record: RecordPointer | null,
    links: PackedLinks,
    now: number,
    changes: Changes,
  ): void {
    const { page } = report;
    const visit = this.ids.visits++;
    const text = this.#pointer(page?.text ?? null, 'text', now, changes);
    const at = report.record?.date ?? now;
    const after = this.#plan(lease, report, judgement.code, visit, at);
    const row = visitRow(visit, lease, report, { ...after, ...judgement, request, record, text, at });
    changes.visits.push(row);
    this.#duplicates.settled(lease, row, now, changes);
    if (report.refused !== null) this.#admission.refusals.add(report.refused);
    if (report.removed !== null) this.#admission.removals.add(report.removed);
    if (report.redirect !== null && judgement.code === 'redirect') this.#redirect(lease, report.redirect, now, changes);
    const inside = this.#options.isInside(lease.connectTo);
    const level = this.#duplicates.linkLevel(judgement);
    if (level === 'drop' || report.from >= report.to) return;
    const place = { url: lease.url, depth: lease.depth + 1, inside, level };
    this.#admission.links(place, links, report.from, report.to, now, changes);
  }

  /** What the visit means for the next one, and which body is in force. */
  #plan(lease: Lease, { page }: LeaseReport, code: OutcomeCode, visit: number, at: number): Partial<VisitRow> {
    const { last } = lease;
    const isSame = code === 'not-modified' && last !== null;
    const found = code === 'ok' ? 'body' : isSame ? 'same' : 'none';
    const { contentHash = null, simhash = null } = page ?? {};
    const changed = last === null || hasChanged(last, { page: found, contentHash, simhash });
    const seen = { at, isPage: found !== 'none', changed };
    const { nextVisit, history } = this.#frontier.revisits.visited(lease.url, visit, seen, last);
    if (!isSame) return { changed, nextVisit, history };
    const etag = page?.etag ?? last.etag;
    const lastModified = page?.lastModified ?? last.lastModified;
    return { changed, nextVisit, history, bodyOf: last.body.visit, etag, lastModified };
  }

  /** A redirect to another URL is a new URL, through admission. */
  #redirect(lease: Lease, to: RedirectTarget, now: number, changes: Changes): void {
    const isSeed = lease.depth === 0 && lease.kind === 'page';
    if (to.trap !== null) {
      this.#admission.refusals.count(to.trap);
      return;
    }
    if (!to.inScope) {
      if (!isSeed) {
        this.#admission.refusals.count('scope');
        return;
      }
      this.#options.onSeedMoved(to.to);
    }
    this.#admission.removals.each(to.to.removed);
    const { keyHi, keyLo } = to;
    const level = this.#frontier.urls.level(lease.url);
    const path = {
      kind: lease.kind === 'sitemap' ? 'sitemap' : 'page',
      depth: lease.depth,
      hops: lease.hops + 1,
    } as const;
    const candidate = { keyHi, keyLo, url: to.to.fetch, ...path, via: lease.url, level, priority: null, seed: isSeed };
    const id = this.#admission.admit(candidate, this.#options.isInside(lease.connectTo), now, changes);
    if (id >= 0) this.#redirects.note(lease.url, id);
  }

  #pointer(record: ArchivedRecord | null, kind: 'warc' | 'text', now: number, changes: Changes): RecordPointer | null {
    if (record === null) return null;
    let segment = this.#segments.get(record.segment);
    if (segment === undefined) {
      segment = { id: this.#segments.size, kind };
      this.#segments.set(record.segment, segment);
      const at = now;
      changes.segments.push({ ...segment, name: record.segment, at, closed: false, length: 0 });
    }
    return { segment: segment.id, offset: record.offset, length: record.length };
  }

  /** A worker closed a segment of which `length` bytes are whole records. */
  closeSegment(name: string, length: number, now: number, changes: Changes): void {
    const segment = this.#segments.get(name);
    if (segment !== undefined) changes.segments.push({ ...segment, name, at: now, closed: true, length });
  }
}

const outcomeOf = (report: LeaseReport, code: OutcomeCode): LeaseOutcome => ({
  code,
  status: report.status,
  started: report.started,
  ended: report.ended,
  blocked: report.blocked,
  retryAfterMs: report.retryAfterMs,
});

function requestRow(
  id: number,
  lease: Lease,
  report: LeaseReport,
  settled: Settled,
  record: RecordPointer | null,
): RequestRow {
  return {
    id,
    url: lease.url,
    host: lease.host,
    address: lease.connectTo,
    kind: lease.kind,
    target: lease.target,
    started: report.started,
    ended: report.ended,
    status: report.status,
    code: settled.code,
    bytes: report.bytes,
    delay: settled.delay,
    addressDelay: settled.addressDelay,
    record,
  };
}

function visitRow(
  id: number,
  lease: Lease,
  report: LeaseReport,
  facts: Pick<VisitRow, 'code' | 'request' | 'record' | 'text' | 'duplicateOf' | 'near' | 'at'> & Partial<VisitRow>,
): VisitRow {
  const { page } = report;
  return {
    id,
    url: lease.url,
    kind: lease.kind === 'sitemap' ? 'sitemap' : 'page',
    status: report.status,
    finalUrl: lease.redirects > 0 ? lease.target : null,
    contentType: page?.contentType ?? '',
    charset: page?.charset ?? '',
    language: page?.language ?? '',
    title: page?.title ?? '',
    contentHash: page?.contentHash ?? null,
    payloadDigest: page?.payloadDigest ?? null,
    simhash: page?.simhash ?? null,
    etag: page?.etag ?? null,
    lastModified: page?.lastModified ?? null,
    changed: true,
    index: page?.index ?? true,
    nextVisit: null,
    bodyOf: -1,
    history: null,
    bytes: report.bytes,
    links: page?.links ?? 0,
    aiPreferences: page?.aiPreferences ?? null,
    parser: page?.parser ?? 0,
    fields: page?.fields ?? null,
    ...facts,
  };
}
