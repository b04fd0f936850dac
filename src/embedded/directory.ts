/** The directory of a crawl (DESIGN 8): its paths, and what is opened in it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError } from '../archive/archive-files.js';

export interface CrawlDirectory {
  root: string;
  store: string;
  warc: string;
  text: string;
  index: string;
}

export const crawlDirectory = (root: string): CrawlDirectory => ({
  root,
  store: join(root, 'crawl.sqlite'),
  warc: join(root, 'warc'),
  text: join(root, 'text'),
  index: join(root, 'warc', 'index.cdxj'),
});

/** Makes the folders. Throws UserError if the disk refuses. */
export function makeDirectory(root: string): CrawlDirectory {
  const paths = crawlDirectory(root);
  for (const path of [paths.root, paths.warc, paths.text]) {
    try {
      mkdirSync(path, { recursive: true });
    } catch (cause) {
      throw archiveError('create', path, cause);
    }
  }
  return paths;
}
