/**
 * Group commit (DESIGN 8, Batches): decisions append to the open batch; every 200 ms or 2,000 changes it is sealed and
 * committed. Order: index lines are written and segments become durable first, then the transaction that names them.
 * Memory runs ahead of the store by the sealed batch and the open one, no further.
 */
import { type Batch, type Changes, countChanges, noChanges } from '../changes.js';
import { type Archive, BatchError, FencedError, type Store } from '../engines/ports.js';
import { UserError } from '../errors.js';

/** Times that a batch of unknown outcome is sent. */
const SENDS = 3;

export interface BatchOptions {
  /** ms and changes after which the open batch is sealed. */
  time: number;
  changes: number;
  /** Open changes beyond which no lease goes out until the store has caught up. */
  pressure: number;
}

/** The index of the archive: lines appended before the transaction, cut back to what was committed after a crash, and
 * written anew from the rows if a power cut took some of it. */
export interface IndexFile {
  /** Hands the lines to the operating system; resolves to the file's length. */
  append(lines: readonly string[]): Promise<number>;
}

export class Batches {
  readonly #store: Store;
  readonly #archive: Archive;
  readonly #index: IndexFile;
  readonly #options: BatchOptions;
  #open: Changes;
  #lines: string[] = [];
  readonly #segments = new Set<string>();
  #openedAt = Number.POSITIVE_INFINITY;
  #sealedAt = 0;
  #sealed: Promise<void> | null = null;
  /** Who wants to know when the open batch is in. */
  #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  #epoch: number;
  #sequence = 0;
  /** Told each batch's changes once they are durable. */
  onCommitted: (changes: Changes) => void = () => {};
  /** Asked for last additions to a batch. */
  onSeal: (changes: Changes) => void = () => {};

  /** @param first changes that were decided before the loop began */
  constructor(
    parts: { store: Store; archive: Archive; index: IndexFile },
    epoch: number,
    first: Changes,
    options: BatchOptions,
  ) {
    const { store, archive, index } = parts;
    this.#open = first;
    this.#store = store;
    this.#archive = archive;
    this.#index = index;
    this.#epoch = epoch;
    this.#options = options;
  }

  /** Where decisions go. */
  get open(): Changes {
    return this.#open;
  }

  /** Names a record of the open batch: its segment is synced, and its index line written, before the commit. */
  archived(segment: string, line: string): void {
    this.#segments.add(segment);
    if (line !== '') this.#lines.push(line);
  }

  /** A request whose outcome is in the open batch ended at `at` (ms): it should be durable `time` after that, however
   * long it lay in a worker's queue. */
  since(at: number): void {
    if (at < this.#openedAt) this.#openedAt = at;
  }

  get isCommitting(): boolean {
    return this.#sealed !== null;
  }

  /** So far behind that no lease may go out. */
  get isBehind(): boolean {
    return this.#sealed !== null && countChanges(this.#open) > this.#options.pressure;
  }

  /** When the open batch wants to be sealed: ms, or Infinity if it is empty. */
  dueAt(now: number): number {
    const count = countChanges(this.#open);
    if (count === 0) {
      this.#openedAt = Number.POSITIVE_INFINITY;
      return Number.POSITIVE_INFINITY;
    }
    if (this.#openedAt > now) this.#openedAt = now;
    if (count >= this.#options.changes) return now;
    // late reports must not make a commit of each of them
    return Math.max(this.#openedAt + this.#options.time, this.#sealedAt + this.#options.time / 4);
  }

  /** Seals and commits the open batch. Rejects if it cannot be made durable: then nothing that follows may be either,
   * and the crawl has to stop. One commit at a time: wait for the last one first. */
  async commit(now = 0): Promise<void> {
    if (this.#sealed !== null) throw new Error('a commit is under way');
    const changes = this.#open;
    this.onSeal(changes);
    const lines = this.#lines;
    const segments = [...this.#segments];
    this.#open = noChanges();
    this.#lines = [];
    this.#segments.clear();
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#sealedAt = now;
    this.#sealed = this.#write({ epoch: this.#epoch, sequence: ++this.#sequence, changes }, lines, segments);
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      await this.#sealed;
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      throw error;
    } finally {
      this.#sealed = null;
    }
    this.onCommitted(changes);
    for (const { resolve } of waiting) resolve();
  }

  /** Resolves when all that was decided so far is durable; rejects if it cannot be. */
  durable(): Promise<void> {
    if (countChanges(this.#open) === 0) return this.#sealed ?? Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Commits what is open, after what is under way. */
  async flush(): Promise<void> {
    if (this.#sealed !== null) await this.#sealed.catch(() => {}); // whoever began it hears of its failure
    if (countChanges(this.#open) > 0) await this.commit();
  }

  async #write(batch: Batch, lines: readonly string[], segments: readonly string[]): Promise<void> {
    const [length] = await Promise.all([
      lines.length > 0 ? this.#index.append(lines) : null,
      segments.length > 0 ? this.#archive.sync(segments) : null,
    ]);
    if (length !== null) batch.changes.meta.push(['index.length', String(length)]);
    await this.#send(batch);
  }

  /** A batch of unknown outcome is sent again unchanged; the store answers "already" if it was in. */
  async #send(batch: Batch): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#store.commit(batch);
        return;
      } catch (error) {
        const isFinal = [FencedError, BatchError, UserError].some((kind) => error instanceof kind);
        if (isFinal || attempt === SENDS) throw error;
      }
    }
  }
}
