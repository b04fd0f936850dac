/**
 * Checkpoints (DESIGN 8): the memory of a crawl as of one committed batch, so that the next start reads it, and only the
 * rows that came after. What changes is the projection of the committed rows: it stands still while it is written, and
 * the commits of that time are applied afterwards. What only grows (keys, hosts of URLs) is written as it is met; it may
 * hold entries of later batches, so the file gets its name when those are committed, and reading their rows again finds
 * them known. So may its parts (`checkpoint-part.ts`): what pages repeat and what robots.txt files say, as of the moment at
 * which it began.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Changes, UrlRow } from '../changes.js';
import type { SeenTable } from '../dedupe/seen.js';
import type { StoreReader, TableName } from '../engines/ports.js';
import type { UrlTable } from '../frontier/url-table.js';
import { type Block, BlockKind, CheckpointWriter } from './checkpoint-file.js';
import { seenBlocks } from './checkpoint-kept.js';
import { bytesOf, type CheckpointPart, json, jsonBlocks, ROWS, type Told } from './checkpoint-part.js';
import type { CommittedSegments } from './committed-segments.js';
import type { Places } from './merge.js';
import type { Projection, ProjectionRest } from './projection.js';
import type { Tally } from './tally.js';

/** Version of what the blocks hold: any change of the tables' layout takes a new one. */
export const FORMAT = 5;
const HOST_ROWS = 2 ** 13;
/** A checkpoint takes one part of the loop's time in so many. */
const DUTY = 4;
/** At a clean stop a checkpoint is written for fewer rows: one part in so many. */
const STOP_SHARE = 20;

/** What makes a checkpoint one of this crawl, with these options. */
export interface CheckpointIdentity {
  crawl: string;
  schema: string;
  /** Options that enter keys or counters, as JSON. */
  options: string;
}

/** The memory that is written, and read. */
export interface CheckpointParts {
  projection: Projection;
  seen: SeenTable;
  urls: UrlTable;
  tally: Tally;
  committed: CommittedSegments;
  readonly parts: readonly CheckpointPart[];
}

/** Tables whose rows are not read again, but those that came later. Hosts and segments are read whole at every start. */
export const TABLES = [
  'hosts',
  'urls',
  'denied',
  'dead',
  'requests',
  'visits',
  'reparsed',
  'hostEvents',
] as const satisfies TableName[];

export interface Identity extends CheckpointIdentity {
  format: number;
  places: Places;
  batch: number;
  /** Of the last rows, by which another history of the same crawl is told from this one. */
  marks: string;
}

export interface Rest {
  projection: ProjectionRest;
  tally: Partial<Tally>;
  segments: [number, number][];
  told: Told;
}

/** What the projection needs of a batch. */
type Rows = Pick<Changes, 'hosts' | 'denied' | 'dead' | 'requests' | 'hostEvents'> & {
  urls: readonly Pick<UrlRow, 'host' | 'level'>[];
  visits: readonly Parameters<Projection['visit']>[0][];
};

export interface CheckpointOptions {
  path: string;
  /** Committed rows after which another checkpoint is written. */
  rows: number;
  /** Resolves when everything that was decided so far is committed. */
  durable: () => Promise<void>;
  /** Hears why one could not be written. */
  say: (sentence: string) => void;
}

export class Checkpointer {
  readonly #parts: CheckpointParts;
  readonly #store: StoreReader;
  readonly #identity: CheckpointIdentity;
  readonly #options: CheckpointOptions;
  /** Commits while a checkpoint is written. */
  #later: Rows[] = [];
  #writing: Promise<void> | null = null;
  #since: number;
  #isClosing = false;
  #isBroken = false;
  #abort: (error: Error) => void = () => {};

  /** @param since rows that the last checkpoint does not hold */
  constructor(
    parts: CheckpointParts,
    store: StoreReader,
    identity: CheckpointIdentity,
    options: CheckpointOptions,
    since: number,
  ) {
    this.#parts = parts;
    this.#store = store;
    this.#identity = identity;
    this.#options = options;
    this.#since = since;
  }

  /** A batch is durable, tally and segments know it, and no later one is yet: the one moment at which their memory is
   * that of the committed rows. */
  committed(changes: Changes): void {
    this.#since += TABLES.reduce((sum, table) => sum + changes[table].length, 0);
    if (this.#writing !== null) {
      this.#later.push(light(changes));
      return;
    }
    apply(this.#parts.projection, changes);
    if (this.#since >= this.#options.rows && !this.#isClosing) this.#start(DUTY);
  }

  /** At the end: ends a checkpoint that is under way, and writes another if it is worth one.
   * @param isSettled everything is committed. If not (something broke), none is written. */
  async stop(isSettled: boolean): Promise<void> {
    this.#isClosing = true;
    if (!isSettled) {
      this.#isBroken = true;
      this.#abort(new Error('the crawl broke off'));
    }
    await this.#writing;
    if (!isSettled) return;
    if (this.#since > 0 && this.#since * STOP_SHARE >= this.#options.rows) this.#start(1);
    await this.#writing;
  }

  #start(duty: number): void {
    const identity = identityOf(this.#identity, this.#store);
    const { projection, tally, committed, parts } = this.#parts;
    const told: Told = {};
    for (const part of parts) told[part.table] = part.freeze();
    const rest: Rest = { projection: projection.rest(), tally: { ...tally }, segments: committed.ends(), told };
    const text = json(rest); // now: tally and segments go on
    this.#since = 0;
    this.#writing = this.#write(identity, text, duty)
      .catch((error: Error) => {
        this.#options.say(`No checkpoint could be written (${error.message}): the next start reads more rows.`);
      })
      .then(() => this.#catchUp());
  }

  async #write(identity: Identity, rest: Uint8Array, duty: number): Promise<void> {
    const writer = await CheckpointWriter.begin(this.#options.path);
    try {
      await writer.block(BlockKind.identity, json(identity));
      await writer.block(BlockKind.rest, rest);
      const parts = blocks(this.#parts, identity.places);
      for (;;) {
        const began = performance.now();
        const next = parts.next();
        if (next.done) break;
        const { kind, payload, at, extra } = next.value;
        const written = writer.block(kind, payload, at, extra);
        const pause = this.#isClosing ? 0 : (performance.now() - began) * (duty - 1);
        await written;
        if (pause > 0) await sleep(pause);
      }
      await writer.end();
      await new Promise<void>((resolve, reject) => {
        this.#abort = reject;
        if (this.#isBroken) reject(new Error('the crawl broke off'));
        this.#options.durable().then(resolve, reject);
      });
      await writer.publish();
    } catch (error) {
      for (const part of this.#parts.parts) part.thaw();
      await writer.abandon();
      throw error;
    }
  }

  /** Applies the commits that came while the projection stood still, a few at a time. */
  async #catchUp(): Promise<void> {
    for (let i = 0; i < this.#later.length; i++) {
      apply(this.#parts.projection, this.#later[i]);
      if (i % 4 === 3) await nextTurn();
    }
    this.#later = [];
    this.#writing = null;
  }
}

/** What the projection reads of a batch, without the texts of its URLs. */
function light({ hosts, urls, denied, dead, requests, visits, hostEvents }: Changes): Rows {
  return {
    ...{ hosts, denied, dead, requests, hostEvents },
    urls: urls.map(({ host, level }) => ({ host, level })),
    visits: visits.map(({ id, url, at, code, nextVisit, history }) => ({ id, url, at, code, nextVisit, history })),
  };
}

/** In the order in which the start-up scan reads the tables of a batch. */
function apply(projection: Projection, rows: Rows): void {
  for (const row of rows.hosts) projection.host(row);
  for (const row of rows.urls) projection.url(row);
  for (const row of rows.denied) projection.denied(row);
  for (const row of rows.dead) projection.dead(row);
  for (const row of rows.requests) projection.request(row);
  for (const row of rows.visits) projection.visit(row);
  for (const row of rows.hostEvents) projection.event(row);
}

/** Everything but the first two blocks. What may change later is copied. */
function* blocks({ projection, seen, urls, parts }: CheckpointParts, places: Places): Generator<Block> {
  for (const part of parts) {
    yield* part.blocks();
    part.thaw(); // what changes later need not be remembered
  }
  yield* jsonBlocks(BlockKind.failures, projection.failures);
  yield* jsonBlocks(BlockKind.addresses, projection.addresses);
  const { hosts, own, hostCount } = projection;
  for (let at = 0; at < hostCount; at += HOST_ROWS) {
    const to = Math.min(at + HOST_ROWS, hostCount);
    yield { kind: BlockKind.hostFacts, at, extra: 0, payload: hosts.facts.pack(at, to) };
    yield { kind: BlockKind.hostTimes, at, extra: 0, payload: own.pack(at, to) };
  }
  const known = places.urls ?? 0;
  for (let at = 0; at < known; ) {
    const marks = projection.urls.view(at, ROWS);
    yield { kind: BlockKind.urlMarks, at, extra: 0, payload: marks.slice() };
    const payload = bytesOf(urls.hostsOf(at, marks.length)); // never changes
    yield { kind: BlockKind.urlHosts, at, extra: 0, payload };
    at += marks.length;
  }
  yield* revisits(projection, known);
  yield* seenBlocks(BlockKind.seen, seen);
}

function* revisits({ revisits }: Projection, known: number): Generator<Block> {
  if (!revisits.planner.isStanding) return;
  for (let at = 0; at < known; at += ROWS) {
    const rows = Math.min(ROWS, known - at);
    const block = (kind: number, values: Uint32Array | Uint8Array): Block => ({
      ...{ kind, at, extra: 0 },
      payload: values instanceof Uint8Array ? values.slice() : bytesOf(values).slice(),
    });
    yield block(BlockKind.revisitDue, revisits.due.view(at, rows));
    yield block(BlockKind.revisitVisits, revisits.visits.view(at, rows));
    yield block(BlockKind.revisitRates, revisits.rates.view(at, rows));
    yield block(BlockKind.revisitSpans, revisits.spans.view(at, rows));
  }
}

function identityOf(identity: CheckpointIdentity, store: StoreReader): Identity {
  const places: Places = {};
  let batch = 0;
  for (const table of TABLES) {
    const rows = store.count(table);
    places[table] = rows;
    if (rows > 0) batch = Math.max(batch, rowBatch(store, table, rows - 1));
  }
  return { ...identity, format: FORMAT, places, batch, marks: marksOf(store, places) };
}

export const rowBatch = (store: StoreReader, table: TableName, place: number): number =>
  store.at(table, [place])[0].batch;

/** The key of the last URL, the end of the last request: a store that went another way after a backup has others. */
export function marksOf(store: StoreReader, { urls = 0, requests = 0 }: Places): string {
  const url = urls > 0 ? store.at('urls', [urls - 1])[0] : null;
  const request = requests > 0 ? store.at('requests', [requests - 1])[0] : null;
  return `${url?.keyHi} ${url?.keyLo} ${request?.ended} ${request?.url}`;
}
