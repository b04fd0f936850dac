import type { CrawlOptions, CrawlSummary, CrawlUi } from './crawl-options.js';
import { UserError } from './errors.js';

/** Runs one crawl to its end. A stub: the loop is not built yet. */
export async function runCrawl(_options: CrawlOptions, _ui: CrawlUi): Promise<CrawlSummary> {
  throw new UserError('The crawl loop is not built yet.');
}
