/** Writing the pages of a crawl in one of the export formats. */

import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { StoreReader } from '../engines/ports.js';
import { ArchiveReader } from './archive-reader.js';
import { csv, jsonLines, type StreamFormat, wet } from './formats.js';
import { MarkdownFiles, type MarkdownStyle } from './markdown-files.js';
import { normalizerOf } from './normal-forms.js';
import { type Output, writeFileWhole, writeFolderWhole } from './output.js';
import type { PageFilter } from './page-filter.js';
import { type CorpusPage, corpusPages } from './pages.js';
import { parquet } from './parquet.js';
import { type SegmentFolders, segmentPaths } from './segment-paths.js';

export const EXPORT_FORMATS = ['jsonl', 'jsonl.gz', 'parquet', 'csv', 'wet', 'markdown'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Formats that are text: they may go to a terminal or a pipe. */
export const TEXT_FORMATS: ReadonlySet<ExportFormat> = new Set(['jsonl', 'csv']);

export interface ExportOptions {
  format: ExportFormat;
  filter: PageFilter;
  /** Of Markdown; by default the main text, and all facts. */
  markdown?: MarkdownStyle;
  /** A folder of an earlier export is replaced; without it a folder must be new or empty. */
  replaces?: boolean;
  /** Without a page nothing is written under the name: what was there stays. */
  unlessEmpty?: boolean;
  /** Name and version of the program, for formats that say who wrote them. */
  software: string;
  /** Wall ms. */
  now: number;
  /** Asked now and then; once true, the export ends and leaves nothing behind. */
  isStopped: () => boolean;
  /** Share of the crawl that was read, 0 to 1, and pages written. */
  onProgress: (share: number, pages: number) => void;
}

/** Pages between two looks at the clock and the signals. */
const ROUND = 256;

/**
 * Writes to a file, or for Markdown into a folder.
 * @returns how many pages, or null if it was interrupted
 * @throws UserError if it cannot be written, or the archive is damaged
 */
export async function exportTo(
  path: string,
  reader: StoreReader,
  folders: SegmentFolders,
  options: ExportOptions,
): Promise<number | null> {
  const archive = new ArchiveReader(segmentPaths(reader, folders));
  const job = new ExportJob(reader, archive, options);
  let wasRead = false;
  const isWanted = (): boolean => job.pages > 0 || options.unlessEmpty !== true;
  await (options.format === 'markdown'
    ? writeFolderWhole(path, options.replaces === true, async (folder) => {
        const files = new MarkdownFiles(folder, archive, normalizerOf(reader), options.markdown);
        if (!(await job.each((page) => files.add(page)))) return false;
        files.link();
        wasRead = true;
        return isWanted();
      })
    : writeFileWhole(path, { gzip: options.format === 'jsonl.gz' }, async (output) => {
        wasRead = await job.stream(await formatOf(options, path), output);
        return wasRead && isWanted();
      }));
  return wasRead ? job.pages : null;
}

/** Writes a text format to an output that is there already, such as standard output. */
export async function exportInto(
  output: Output,
  reader: StoreReader,
  folders: SegmentFolders,
  options: ExportOptions,
): Promise<number | null> {
  const job = new ExportJob(reader, new ArchiveReader(segmentPaths(reader, folders)), options);
  return (await job.stream(await formatOf(options, ''), output)) ? job.pages : null;
}

async function formatOf({ format, software, now }: ExportOptions, path: string): Promise<StreamFormat> {
  if (format === 'parquet') return parquet(software);
  if (format === 'csv') return csv();
  return format === 'wet' ? wet(basename(path), { software }, now) : jsonLines();
}

class ExportJob {
  readonly #options: ExportOptions;
  readonly #reader: StoreReader;
  readonly #archive: ArchiveReader;
  #share = 0;
  pages = 0;

  constructor(reader: StoreReader, archive: ArchiveReader, options: ExportOptions) {
    this.#reader = reader;
    this.#archive = archive;
    this.#options = options;
  }

  async stream(format: StreamFormat, output: Output): Promise<boolean> {
    const put = async (bytes: string | Uint8Array): Promise<void> => {
      if (bytes.length > 0) await output.write(bytes);
    };
    await put(format.head());
    if (!(await this.each((page) => put(format.page(page))))) return false;
    await put(await format.tail());
    return true;
  }

  /** False if it was interrupted. */
  async each(write: (page: CorpusPage) => Promise<void>): Promise<boolean> {
    const { filter, isStopped, onProgress, software } = this.#options;
    const agent = software.split('/', 1)[0];
    const onVisits = (done: number, total: number): void => {
      this.#share = total === 0 ? 1 : done / total;
    };
    for (const page of corpusPages(this.#reader, this.#archive, filter, onVisits, agent)) {
      if (isStopped()) return false;
      await write(page);
      if (++this.pages % ROUND > 0) continue;
      onProgress(this.#share, this.pages);
      await turn(); // Ctrl-C is heard
    }
    return !isStopped();
  }
}
