/** The export of a crawl directory, for programs. */
import type { ExportFormat } from '../corpus/export.js';
import { EVERY_PAGE, type PageFilter } from '../corpus/page-filter.js';
import { systemClock } from '../engines/system.js';
import { version } from '../version.js';

export interface ExportPagesOptions extends Partial<PageFilter> {
  /** `jsonl`, `jsonl.gz`, `parquet`, `csv`, `wet`: a file; `markdown`: a folder with a file for each page. */
  format: ExportFormat;
  /** Of `markdown`: the `main` text (default), or the `whole` but navigation, header, footer and asides. */
  text?: 'main' | 'whole';
  /** Of `markdown`: the `full` facts of a page (default), or its title, URL, time and language. */
  frontMatter?: 'full' | 'lean';
  /** Of `markdown`: the folder of an earlier export makes room once the new one is whole (default false). Files always do. */
  replace?: boolean;
  /** Aborted, the export ends and leaves nothing behind. */
  signal?: AbortSignal;
  /** Share of the crawl that was read, 0 to 1, and pages written. */
  progress?: (share: number, pages: number) => void;
}

/**
 * Writes the pages of the crawl in `dir`, as `saunter export` does (docs/outputs.md); also while it runs.
 *
 * @param path of the file or the folder; it appears when it is whole
 * @returns how many pages, or null if it was aborted
 * @throws UserError if `dir` holds no crawl, the path cannot be written, or the archive is damaged
 */
export async function exportPages(
  dir: string,
  path: string,
  { format, text = 'main', frontMatter = 'full', replace = false, signal, progress, ...filter }: ExportPagesOptions,
): Promise<number | null> {
  const [{ exportTo }, { lookInto }] = await Promise.all([import('../corpus/export.js'), import('./look.js')]);
  return lookInto(dir, (reader, folders) =>
    exportTo(path, reader, folders, {
      ...{ format, filter: { ...EVERY_PAGE, ...filter }, markdown: { text, frontMatter } },
      replaces: replace,
      ...{ software: `Saunter/${version()}`, now: systemClock.wall() },
      isStopped: () => signal?.aborted ?? false,
      onProgress: progress ?? (() => {}),
    }),
  );
}
