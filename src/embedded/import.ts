/** Imports WARC and ARC files into the directory of a crawl: a new one, or one that does not run. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { CdxjWriter } from '../archive/cdxj.js';
import { sortCdxj } from '../archive/line-sort.js';
import { SegmentArchive } from '../archive/segment-recovery.js';
import { SegmentWriter } from '../archive/segments.js';
import { WarcFormatError } from '../archive/warc-record.js';
import { countChanges, noChanges } from '../changes.js';
import type { Config } from '../config/config.js';
import { frozenDifference, frozenOptions } from '../config/load-config.js';
import { foreignExchanges } from '../corpus/foreign-exchanges.js';
import { type ImportCounts, Importer } from '../corpus/importer.js';
import { keyOptions } from '../corpus/normal-forms.js';
import { namesHost } from '../corpus/page-filter.js';
import { lockDirectory } from '../engines/lock.js';
import type { Store } from '../engines/ports.js';
import { openSqliteStore } from '../engines/sqlite.js';
import { systemClock } from '../engines/system.js';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';
import { HeavyTypes } from '../parse/stage.js';
import { Batches } from '../state/batches.js';
import { LeasesFile } from '../state/leases-file.js';
import { UrlKeyer } from '../url/key.js';
import { createNormalizer } from '../url/normalize.js';
import { DocumentReader } from '../workers/document-reader.js';
import { PARTITIONS } from './decisions.js';
import { before, type CrawlDirectory, makeDirectory, unmake } from './directory.js';
import { indexLines } from './index-lines.js';
import { documentSettings, productToken } from './parts.js';
import { committedBytes } from './recover.js';
import { appending } from './restore.js';

export interface ImportOptions {
  files: readonly string[];
  config: Config;
  userAgent: string;
  /** Hosts of which nothing is taken; `*.example.org` stands for every host below it. */
  notHosts: readonly string[];
  isStopped: () => boolean;
  /** File at work, and answers taken so far. */
  onProgress: (file: string, records: number) => void;
  /** A file that is damaged, or is none: what was before that place is taken. */
  onRefused: (sentence: string) => void;
}

/** Changes of one commit. */
const BATCH = 2_000;

/** Durable when it resolves. What an interrupted one took stays, and the next one passes over it. */
export async function importInto(dir: string, options: ImportOptions): Promise<ImportCounts> {
  const there = before(dir);
  const paths = makeDirectory(dir);
  const lock = lockDirectory(dir, systemClock.wall(), 'import');
  let isVain = false;
  let refused = 0;
  try {
    const store = openSqliteStore(paths.store, { create: true });
    const isNew = store.meta('crawl.id') === null;
    const onRefused = (sentence: string): void => {
      refused++;
      options.onRefused(sentence);
    };
    try {
      const counts = await importIntoStore(store, paths, { ...options, onRefused });
      isVain = isNew && counts.records === 0 && refused === options.files.length;
      return counts;
    } finally {
      store.close();
    }
  } finally {
    lock.release();
    // files that are no archives: a new directory of nothing would look like a crawl
    if (isVain) unmake(dir, there);
  }
}

async function importIntoStore(store: Store, paths: CrawlDirectory, options: ImportOptions): Promise<ImportCounts> {
  const { config, userAgent } = options;
  const first = noChanges();
  const { id, secret } = identity(store, config, paths.root, first.meta);
  // a new crawl has asked nobody for anything: no host is owed a rest
  if (first.meta.length > 0) new LeasesFile(paths.root, []).stop(systemClock.wall());
  const epoch = await store.beginEpoch();
  const archive = new SegmentArchive({ warc: paths.warc, text: paths.text, prefix: `${id}-` });
  const recovered = await archive.recover(committedBytes(store));
  const index = await CdxjWriter.open(paths.index, Number(store.meta('index.length') ?? 0), () =>
    indexLines(store, paths.warc),
  );
  const times = { time: Number.POSITIVE_INFINITY, changes: BATCH, pressure: BATCH };
  const batches = new Batches({ store, archive, index: appending(index) }, epoch, first, times);
  const settings = documentSettings(config);
  const documents = new DocumentReader(settings);
  const segments = {
    ...{ prefix: `${id}-${epoch}-i0`, clock: systemClock, maxBytes: config['segment.bytes'] },
    info: { software: userAgent.split(' ', 1)[0], isPartOf: basename(paths.root), description: 'imported' },
  };
  const warc = new SegmentWriter({ ...segments, dir: paths.warc, kind: 'warc' });
  const text = new SegmentWriter({ ...segments, dir: paths.text, kind: 'text' });
  const importer = new Importer(store, {
    ...{ warc, text, documents, partitions: PARTITIONS, agent: productToken(userAgent) },
    leavesOut: namesHost(options.notHosts),
    ...{ shingles: config['simhash.shingles'], distance: config['simhash.distance'] },
    normalizer: createNormalizer(keyOptions(config)),
    keyer: new UrlKeyer(secret),
    caps: {
      decoded: Math.max(config['body.text.decoded'], config['body.pdf']),
      ...{ ratio: config['decode.ratio'], ratioFrom: config['decode.ratioFrom'] },
    },
    heavy: new HeavyTypes(settings.handlers.map(({ mediaType }) => mediaType)),
    onArchived: (segment, line) => batches.archived(segment, line),
  });
  const closed = (list: readonly { name: string; length: number }[]): void => {
    for (const { name, length } of list) importer.close(name, length, Math.round(systemClock.wall()), batches.open);
  };
  const commit = async (): Promise<void> => {
    warc.flush();
    text.flush();
    closed([...warc.takeClosed(), ...text.takeClosed()]);
    await batches.flush();
  };
  closed(recovered);
  try {
    for (const file of options.files) {
      if (options.isStopped()) break;
      await importFile(file, importer, batches, commit, options);
    }
    warc.roll();
    text.roll();
    await commit();
  } finally {
    await documents.close();
    await index.close();
  }
  await sortCdxj(paths.index);
  return importer.counts;
}

async function importFile(
  file: string,
  importer: Importer,
  batches: Batches,
  commit: () => Promise<void>,
  options: ImportOptions,
): Promise<void> {
  try {
    for await (const exchange of foreignExchanges(file, (type) => importer.skip(`${type} record`))) {
      if (options.isStopped()) return;
      await importer.take(exchange, batches.open);
      if (countChanges(batches.open) >= BATCH) await commit();
      options.onProgress(file, importer.counts.records);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof WarcFormatError)
      options.onRefused(`${error.message}.${importer.counts.records > 0 ? ' What is before that was imported.' : ''}`);
    else if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR')
      options.onRefused(`${file} cannot be read: ${fileFault(error)}.`);
    else throw error;
  }
}

/** Who the crawl is: as the store says, or a new one. */
function identity(
  store: Store,
  config: Config,
  dir: string,
  meta: [string, string][],
): { id: string; secret: Uint8Array } {
  const id = store.meta('crawl.id');
  if (id !== null) {
    const difference = frozenDifference(store.meta('options.frozen') ?? '[]', config);
    if (difference !== null)
      throw new UserError(`${dir} cannot take more: ${difference}; URLs would get other keys.`, 2);
    return { id, secret: Buffer.from(store.meta('key.secret') ?? '', 'hex') };
  }
  const fresh = { id: randomBytes(4).toString('hex'), secret: randomBytes(16) };
  meta.push(['crawl.id', fresh.id], ['key.secret', fresh.secret.toString('hex')]);
  meta.push(['options.frozen', frozenOptions(config)]);
  return fresh;
}
