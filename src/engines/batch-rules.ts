/**
 * What every store checks before it takes a batch, so that a fault of the caller is named and nothing of the batch is
 * kept: its place in the order, dense ids, and that each row refers to rows that exist. Also the rule for text.
 */
import type { Batch, Changes, RecordPointer } from '../changes.js';
import { BatchError, FencedError, type TableName } from './ports.js';

export const TABLE_NAMES: readonly TableName[] = [
  ...([
    'hosts',
    'urls',
    'requests',
    'visits',
    'reparsed',
    'robots',
    'hostEvents',
    'denied',
    'dead',
    'segments',
    'seeds',
  ] as const),
];

/** Rows per table, and the number of different segments. */
export type Counts = Record<TableName, number> & { segmentIds: number };

export const noCounts = (): Counts => ({
  hosts: 0,
  urls: 0,
  requests: 0,
  visits: 0,
  reparsed: 0,
  robots: 0,
  hostEvents: 0,
  denied: 0,
  dead: 0,
  segments: 0,
  seeds: 0,
  segmentIds: 0,
});

/**
 * The place of a batch in the order of commits. Sequences of an epoch are 1, 2, 3 ... without gaps; `last` is
 * [epoch, 0] right after an epoch began.
 * @returns 'next', or 'already' if it is the last one again.
 * @throws FencedError if a newer epoch has begun; BatchError for any other place (a batch was lost or overtaken).
 */
export function placeOf(batch: Batch, [epoch, sequence]: readonly [number, number]): 'next' | 'already' {
  if (batch.epoch < epoch) {
    throw new FencedError(`batch ${batch.epoch}:${batch.sequence} comes after epoch ${epoch} began`);
  }
  if (batch.epoch === epoch) {
    if (batch.sequence === sequence + 1) return 'next';
    if (batch.sequence === sequence && sequence > 0) return 'already';
  }
  throw new BatchError(`batch ${batch.epoch}:${batch.sequence} does not follow ${epoch}:${sequence}`);
}

/** Checks the rows of a batch against what is committed.
 * @returns the counts as they are after it. @throws BatchError naming the first row at fault. */
export function checkRows(changes: Changes, before: Readonly<Counts>): Counts {
  const after = { ...before };
  for (const table of TABLE_NAMES) after[table] += changes[table].length;
  for (const table of ['hosts', 'urls', 'requests', 'visits', 'reparsed'] as const) {
    const rows = changes[table];
    for (let i = 0; i < rows.length; i++) {
      if (rows[i].id !== before[table] + i) fail(table, i, `id ${rows[i].id} should be ${before[table] + i}`);
    }
  }
  after.segmentIds = checkSegments(changes, before.segmentIds);
  checkReferences(changes, after);
  return after;
}

/** Segments have dense ids too, but two rows each: one when first named, one when closed. */
function checkSegments({ segments }: Changes, known: number): number {
  for (let i = 0; i < segments.length; i++) {
    const { id } = segments[i];
    if (id === known) known++;
    else if (!(id >= 0 && id < known)) fail('segments', i, `id ${id} should be at most ${known}`);
  }
  return known;
}

function checkReferences(changes: Changes, { hosts, urls, requests, visits, segmentIds }: Counts): void {
  /** `least` is -1 where the row may refer to none. */
  const refer = (id: number, least: -1 | 0, count: number, table: TableName, i: number, to: string): void => {
    if (!(id >= least && id < count)) fail(table, i, `${to} ${id} is not known`);
  };
  const point = (pointer: RecordPointer | null, table: TableName, i: number): void => {
    if (pointer !== null) refer(pointer.segment, 0, segmentIds, table, i, 'segment');
  };
  changes.urls.forEach((row, i) => {
    refer(row.host, 0, hosts, 'urls', i, 'host');
  });
  changes.requests.forEach((row, i) => {
    refer(row.host, 0, hosts, 'requests', i, 'host');
    refer(row.url, -1, urls, 'requests', i, 'url');
    point(row.record, 'requests', i);
  });
  changes.visits.forEach((row, i) => {
    refer(row.url, 0, urls, 'visits', i, 'url');
    refer(row.request, -1, requests, 'visits', i, 'request');
    refer(row.bodyOf, -1, visits, 'visits', i, 'visit');
    point(row.record, 'visits', i);
    point(row.text, 'visits', i);
  });
  changes.reparsed.forEach((row, i) => {
    refer(row.visit, 0, visits, 'reparsed', i, 'visit');
    point(row.text, 'reparsed', i);
  });
  changes.robots.forEach((row, i) => {
    refer(row.host, 0, hosts, 'robots', i, 'host');
    refer(row.request, -1, requests, 'robots', i, 'request');
  });
  changes.hostEvents.forEach((row, i) => {
    refer(row.host, 0, hosts, 'hostEvents', i, 'host');
  });
  changes.denied.forEach((row, i) => {
    refer(row.url, 0, urls, 'denied', i, 'url');
  });
  changes.dead.forEach((row, i) => {
    refer(row.url, 0, urls, 'dead', i, 'url');
  });
  changes.seeds.forEach((row, i) => {
    refer(row.url, 0, urls, 'seeds', i, 'url');
  });
}

function fail(table: TableName, i: number, words: string): never {
  throw new BatchError(`row ${i} of ${table}: ${words}`);
}

/** Text as stores keep it: U+0000 and lone surrogates, which SQL text cannot hold, become U+FFFD. */
export function cleanText(s: string): string {
  if (s.includes('\0')) s = s.replaceAll('\0', '\ufffd');
  return s.isWellFormed() ? s : s.toWellFormed();
}

/** Did a visit with this outcome find a page (a body, or the word that it is still the same)? */
export const isFound = (code: string): boolean => code === 'ok' || code === 'not-modified';
