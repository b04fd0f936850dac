/**
 * Reparse: the pages of a crawl are read again from the archive, without a request (DESIGN 11). What comes out goes into
 * rows of `reparsed`, which are in force from then on. Each says by which version of the parser: an interrupted run goes
 * on with the pages that are still to be read.
 */
import type { RecordPointer, ReparsedRow, VisitRow } from '../changes.js';
import type { Stored, StoreReader } from '../engines/ports.js';
import { PARSER_VERSION } from '../parse/documents.js';
import { type InForce, inForce, readInForce } from './in-force.js';
import type { ReparseOrder, ReparseResult } from './reparse-stage.js';

export interface ReparseOptions {
  /** Also the pages that this version of the parser has read already: for other handlers, or other limits. */
  all: boolean;
  /** Version that is asked for; tests give another one. */
  parser?: number;
  isStopped: () => boolean;
  /** Visits looked at, of how many. */
  onProgress: (done: number, total: number, counts: ReparseCounts) => void;
}

export interface ReparseCounts {
  /** Pages that were read again. */
  read: number;
  /** Of these: whose text, title or other facts are others now. */
  changed: number;
  /** Pages that could not be read; what was known of them stays. */
  failed: number;
}

/** Reads visits again; answers may come in any order. A visit that nobody can read has a `parser` of 0. */
export type ReparseRunner = (orders: readonly ReparseOrder[]) => Promise<readonly ReparseResult[]>;

/** Takes what was found, and resolves when there is room for more. `text` names its segment by file. */
export type ReparseSink = (rows: readonly NewReading[]) => Promise<void>;

/** A row to be: its id, and the id of a new segment, are given by whoever commits it. */
export interface NewReading extends Omit<ReparsedRow, 'id' | 'at' | 'text'> {
  text: RecordPointer | (Omit<RecordPointer, 'segment'> & { segment: string }) | null;
}

/** Orders given out together, and batches under way at once. */
const BATCH = 64;
const UNDER_WAY = 8;

/** Reads again what is to be read again. Everything was given to the sink when it resolves. */
export async function reparseAll(
  reader: StoreReader,
  run: ReparseRunner,
  sink: ReparseSink,
  options: ReparseOptions,
): Promise<ReparseCounts> {
  const counts: ReparseCounts = { read: 0, changed: 0, failed: 0 };
  const total = reader.count('visits');
  const underWay = new Set<Promise<void>>();
  let failure: unknown = null;
  let done = 0;
  const give = async (visits: readonly Stored<VisitRow>[], orders: readonly ReparseOrder[]): Promise<void> => {
    const byId = new Map(visits.map((visit) => [visit.id, visit]));
    const rows = (await run(orders)).flatMap((result) => judge(byId.get(result.visit)!, result, counts));
    if (rows.length > 0) await sink(rows);
    options.onProgress(done, total, counts);
  };
  for (const visits of batches(reader, options)) {
    if (options.isStopped() || failure !== null) break;
    done = visits.at(-1)!.id + 1;
    const task = give(visits, ordersOf(reader, visits))
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => underWay.delete(task));
    underWay.add(task);
    if (underWay.size >= UNDER_WAY) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (failure !== null) throw failure;
  return counts;
}

/** Visits to be read again, as they are in force, a batch at a time. */
function* batches(reader: StoreReader, options: ReparseOptions): Generator<Stored<VisitRow>[]> {
  const force = readInForce(reader);
  let batch: Stored<VisitRow>[] = [];
  for (const chunk of reader.scan('visits')) {
    const current = chunk.filter((visit) => isPage(visit, force));
    for (const visit of inForce(reader, current, force)) {
      if (!options.all && visit.parser >= (options.parser ?? PARSER_VERSION)) continue;
      if (batch.push(visit) < BATCH) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const isPage = ({ id, url, record, contentHash }: VisitRow, force: InForce): boolean =>
  force.visits[url] === id && record !== null && contentHash !== null;

function ordersOf(reader: StoreReader, visits: readonly Stored<VisitRow>[]): ReparseOrder[] {
  const urls = reader.at('urls', [...new Set(visits.map(({ url }) => url))]);
  const texts = new Map(urls.map(({ id, url }) => [id, url]));
  return visits.map((visit) => ({
    ...{ visit: visit.id, url: visit.finalUrl ?? texts.get(visit.url)!, at: visit.at, text: visit.text },
    record: visit.record!,
    // of two that were fetched at the same time the second has a text all the same
    isDuplicate: visit.duplicateOf >= 0 && visit.text === null,
  }));
}

/** The row that a result makes; none if nothing was read, or if it says what is in force already. */
function judge(visit: Stored<VisitRow>, { facts, text }: ReparseResult, counts: ReparseCounts): NewReading[] {
  if (facts === null) return [];
  if (facts.parser === 0) {
    counts.failed++;
    return [];
  }
  counts.read++;
  const isOther = text !== 'same' || FACTS.some((name) => facts[name] !== visit[name]);
  if (isOther) counts.changed++;
  if (!isOther && facts.parser === visit.parser) return [];
  return [{ visit: visit.id, ...facts, text: text === 'same' ? visit.text : text }];
}

const FACTS = ['charset', 'language', 'title', 'simhash', 'index', 'links', 'aiPreferences', 'fields'] as const;
