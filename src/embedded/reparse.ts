/** Reads the pages of a stopped crawl again, under its lock: threads parse, this one commits. */
import { basename } from 'node:path';
import { SegmentArchive } from '../archive/segment-recovery.js';
import { type Changes, countChanges, noChanges } from '../changes.js';
import type { Config } from '../config/config.js';
import { type NewReading, type ReparseCounts, type ReparseOptions, reparseAll } from '../corpus/reparse.js';
import { type ClosedText, ReparsePool, type ReparseThreadData } from '../corpus/reparse-pool.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import { rows } from '../corpus/states.js';
import { lockDirectory } from '../engines/lock.js';
import type { Store } from '../engines/ports.js';
import { openSqliteStore } from '../engines/sqlite.js';
import { systemClock } from '../engines/system.js';
import { type CrawlDirectory, crawlDirectory } from './directory.js';
import { documentSettings, productToken, workerCount } from './parts.js';
import { committedBytes } from './recover.js';

/** Rows of one commit. */
const BATCH = 2_000;
/** ms by which a page may be slower than a document of a heavy type. */
const SLACK = 10_000;

/**
 * Durable when it resolves. An interrupted one leaves what was read so far.
 * @throws UserError if the crawl runs, if there is none, or if its archive is damaged
 */
export async function reparseDirectory(
  dir: string,
  config: Config,
  userAgent: string,
  options: ReparseOptions,
): Promise<ReparseCounts> {
  const paths = crawlDirectory(dir);
  const lock = lockDirectory(dir, systemClock.wall(), 'reparse');
  try {
    const store = openSqliteStore(paths.store, { create: false });
    try {
      return await reparseStore(store, paths, config, userAgent, options);
    } finally {
      store.close();
    }
  } finally {
    lock.release();
  }
}

async function reparseStore(
  store: Store,
  paths: CrawlDirectory,
  config: Config,
  userAgent: string,
  options: ReparseOptions,
): Promise<ReparseCounts> {
  const epoch = await store.beginEpoch();
  const prefix = `${store.meta('crawl.id')}-`;
  const archive = new SegmentArchive({ warc: paths.warc, text: paths.text, prefix });
  const writer = new ReadingWriter(store, archive, epoch);
  await writer.recover();
  const data: Omit<ReparseThreadData, 'atWork' | 'text'> = {
    paths: [...segmentPaths(store, paths)],
    caps: {
      decoded: Math.max(config['body.text.decoded'], config['body.pdf']),
      ...{ ratio: config['decode.ratio'], ratioFrom: config['decode.ratioFrom'] },
    },
    ...{ agent: productToken(userAgent), shingles: config['simhash.shingles'] },
    documents: documentSettings(config),
  };
  const info = { software: userAgent.split(' ', 1)[0], isPartOf: basename(paths.root) };
  const text = { dir: paths.text, info, maxBytes: config['segment.bytes'] };
  const pool = new ReparsePool({
    threads: workerCount(config),
    script: new URL('./reparse-thread.js', import.meta.url),
    data: (start) => ({ ...data, text: { ...text, prefix: `${prefix}${epoch}-r${start}` } }),
    patience: config['document.time'] + SLACK,
    onClosed: (closed) => writer.close(closed),
  });
  try {
    return await reparseAll(
      store,
      (orders) => pool.run(orders),
      (readings) => writer.add(readings),
      options,
    );
  } finally {
    await pool.close();
    await writer.flush();
  }
}

/** Gives ids, and commits in pieces: texts are durable before the rows that name them. */
class ReadingWriter {
  readonly #store: Store;
  readonly #archive: SegmentArchive;
  readonly #epoch: number;
  readonly #segments = new Map<string, number>();
  #changes: Changes = noChanges();
  #touched = new Set<string>();
  #nextId: number;
  #sequence = 0;
  #committing: Promise<void> = Promise.resolve();

  constructor(store: Store, archive: SegmentArchive, epoch: number) {
    this.#store = store;
    this.#archive = archive;
    this.#epoch = epoch;
    this.#nextId = store.count('reparsed');
  }

  /** Closes what a killed crawl or reparse left open, as the next crawl would. */
  async recover(): Promise<void> {
    for (const { id, name } of rows(this.#store, 'segments')) this.#segments.set(name, id);
    this.close(await this.#archive.recover(committedBytes(this.#store)));
  }

  async add(readings: readonly NewReading[]): Promise<void> {
    const at = Math.round(systemClock.wall());
    for (const { text, ...facts } of readings) {
      const segment = text === null || typeof text.segment === 'number' ? null : this.#segmentOf(text.segment, at);
      const pointer = text === null ? null : { ...text, segment: segment ?? (text.segment as number) };
      this.#changes.reparsed.push({ ...facts, id: this.#nextId++, at, text: pointer });
    }
    if (countChanges(this.#changes) >= BATCH) await this.flush();
  }

  close(closed: readonly ClosedText[]): void {
    for (const { name, length } of closed) {
      const id = this.#segments.get(name);
      if (id === undefined) continue; // nothing in it was reported
      const kind = name.endsWith('.text.warc.gz') ? 'text' : 'warc';
      this.#changes.segments.push({ ...{ id, name, kind, length }, at: Math.round(systemClock.wall()), closed: true });
    }
  }

  /** One commit after another. */
  flush(): Promise<void> {
    this.#committing = this.#committing.then(() => this.#commit());
    return this.#committing;
  }

  async #commit(): Promise<void> {
    if (countChanges(this.#changes) === 0) return;
    const [changes, touched] = [this.#changes, this.#touched];
    this.#changes = noChanges();
    this.#touched = new Set();
    await this.#archive.sync([...touched]);
    await this.#store.commit({ epoch: this.#epoch, sequence: ++this.#sequence, changes });
  }

  #segmentOf(name: string, at: number): number {
    this.#touched.add(name);
    const known = this.#segments.get(name);
    if (known !== undefined) return known;
    const id = this.#segments.size;
    this.#segments.set(name, id);
    this.#changes.segments.push({ id, name, kind: 'text', at, closed: false, length: 0 });
    return id;
  }
}
