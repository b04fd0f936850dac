/** Opens a crawl to look at it: read-only, also while it runs. */
import { existsSync } from 'node:fs';
import type { StoreReader } from '../engines/ports.js';
import { openSqliteReader } from '../engines/sqlite.js';
import { UserError } from '../errors.js';
import { type CrawlDirectory, crawlDirectory } from './directory.js';

/** Runs `look` on the crawl in `dir`.
 * @throws UserError (usage) if there is none */
export async function lookInto<T>(
  dir: string,
  look: (reader: StoreReader, paths: CrawlDirectory) => T | Promise<T>,
): Promise<T> {
  const paths = crawlDirectory(dir);
  if (!existsSync(paths.store)) throw noCrawl(dir);
  const reader = openSqliteReader(paths.store);
  try {
    return await look(reader, paths);
  } finally {
    reader.close();
  }
}

export const noCrawl = (dir: string): UserError =>
  new UserError(`${dir} holds no crawl: give the directory of one with --dir (it has a file crawl.sqlite).`, 2);
