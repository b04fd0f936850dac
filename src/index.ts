/** The public library: what other programs may import. Everything else may change without notice (docs/library.md). */
export { type Changes, noChanges } from './changes.js';
export type { Config, OptionName } from './config/config.js';
export { loadConfig } from './config/load-config.js';
export type { WrittenRule } from './config/rules.js';
export type { ExportFormat } from './corpus/export.js';
export type { PageFilter } from './corpus/page-filter.js';
export type { ExportedPage } from './corpus/pages.js';
export type { CrawlProgress, CrawlSummary, FetchHook, FetchRequest } from './crawl-options.js';
export { BloomFilter, type BloomSize, bloomSize } from './dedupe/bloom.js';
export { hammingDistance, type Simhash, simhash } from './dedupe/simhash.js';
export { type ArchivedPage, readArchived } from './embedded/archived.js';
export {
  type Crawler,
  type CrawlerConfig,
  type CrawlerEnd,
  type CrawlerHooks,
  type CrawlerOptions,
  createCrawler,
} from './embedded/crawler.js';
export { type ExportPagesOptions, exportPages } from './embedded/export.js';
export { type KnownUrl, readUrls } from './embedded/known.js';
export type { OperatorAnswer, OperatorRequest } from './embedded/operate.js';
export type { VisitOutcome } from './embedded/outcomes.js';
export type { CrawledPage } from './embedded/page-feed.js';
export { frontierOptions } from './embedded/parts.js';
export type { Random } from './engines/ports.js';
export { OUTCOMES, type OutcomeCode, UserError } from './errors.js';
export { parseRobots, type RobotsRules } from './fetch/robots.js';
export { Frontier } from './frontier/frontier.js';
export type { FrontierOptions, Lease, LeaseOutcome, LoadRequest, Resolution, Settled, Turn } from './frontier/lease.js';
export { breadthFirst, type Score, type Scored } from './frontier/score.js';
export type { DocumentHandler, HandledDocument, HandlerAnswer } from './parse/documents.js';
export { LinkFlag, type LinkList } from './parse/links.js';
export { type PageInput, type PageOptions, type ParsedPage, parsePage } from './parse/page.js';
export { parseSitemap, type Sitemap, type SitemapUrl } from './parse/sitemap.js';
export { hostOf, type NormalUrl, normalizeUrl, type UrlRefusal } from './url/normalize.js';
export { version } from './version.js';
