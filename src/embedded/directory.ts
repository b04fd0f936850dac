/** The directory of a crawl (DESIGN 8): its paths, and what is opened in it. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError } from '../archive/archive-files.js';
import { UserError } from '../errors.js';
import { makeFolders } from '../folders.js';

export interface CrawlDirectory {
  root: string;
  store: string;
  warc: string;
  text: string;
  index: string;
  checkpoint: string;
}

export const crawlDirectory = (root: string): CrawlDirectory => ({
  root,
  store: join(root, 'crawl.sqlite'),
  warc: join(root, 'warc'),
  text: join(root, 'text'),
  index: join(root, 'warc', 'index.cdxj'),
  checkpoint: join(root, 'checkpoint', 'state'),
});

/** What a crawl that was killed before its first commit may leave. */
const OWN = new Set([
  'lock',
  'lock-journal',
  'warc',
  'text',
  'leases.open',
  'leases.open.new',
  'control.sock',
  'checkpoint',
]);

/** Makes the folders. Throws UserError if the disk refuses, or if the folder holds what is not a crawl's. */
export function makeDirectory(root: string): CrawlDirectory {
  const paths = crawlDirectory(root);
  const stranger = existsSync(paths.store) ? undefined : listOf(root).find((name) => !OWN.has(name));
  if (stranger !== undefined) {
    throw new UserError(`${root} is not empty and holds no crawl (there is ${stranger}): give another --dir.`, 2);
  }
  for (const path of [paths.root, paths.warc, paths.text]) {
    try {
      makeFolders(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
        throw new UserError(`cannot create ${path}: the system lets nobody make a folder there; give another --dir`);
      throw archiveError('create', path, cause);
    }
  }
  return paths;
}

/** What lies in a folder before a crawl is begun in it; null if there is none. */
export const before = (root: string): ReadonlySet<string> | null => (existsSync(root) ? new Set(listOf(root)) : null);

/** Takes back what was made for a crawl that was refused before it did anything.
 * @param there what {@link before} said */
export function unmake(root: string, there: ReadonlySet<string> | null): void {
  for (const name of listOf(root)) {
    const isOurs = OWN.has(name) || name.startsWith('crawl.sqlite');
    if (isOurs && !there?.has(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
  if (there === null && listOf(root).length === 0) rmdirSync(root);
}

/** What lies in a folder; nothing if there is none, and whatever is wrong with it is found when it is made. */
function listOf(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
