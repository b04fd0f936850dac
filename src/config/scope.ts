/** What is crawled, how far, and for how long: parts of the table in `config.ts`. */
import { choice, count, duration, group, orOff, share, size, texts } from './kinds.js';
import { ruleList } from './rules.js';
import { isHttpUrl, isParameter, isPattern } from './texts.js';

/** DESIGN 5, 11. */
export const WHAT_TO_CRAWL = group('What to crawl', {
  scope: choice(
    'domain',
    ['any', 'domain', 'host', 'prefix'],
    'How far links are followed: anywhere, within the registrable domains of the seeds, on their hosts, or below their paths.',
    { flag: 'scope' },
  ),
  rules: ruleList(
    'What is crawled, rule by rule: the first that a URL meets accepts or rejects it, and what meets none goes on to `include`, `exclude` and `scope` (docs/urls.md).',
  ),
  include: texts(
    [],
    'a glob over the whole URL, such as "https://example.org/docs/*"',
    isPattern,
    'Only URLs that match one of these are crawled; `*` stands for any run of characters.',
    { flag: 'include', value: 'GLOB' },
  ),
  exclude: texts(
    [],
    'a glob over the whole URL, such as "*/print/*"',
    isPattern,
    'URLs that match one of these are not crawled. What is queued already when a crawl goes on with other globs is still fetched.',
    { flag: 'exclude', value: 'GLOB' },
  ),
  blocklist: texts(
    [],
    'a path to a file',
    (path) => (path === '' ? null : path),
    'A file of host names, one a line (or a hosts file): nothing is fetched of them, nor of what lies below them.',
  ),
  sitemap: texts([], 'an http(s) URL', isHttpUrl, 'A sitemap to start from, beside those that robots.txt names.', {
    flag: 'sitemap',
    value: 'URL',
  }),
  depth: count(16, 0, 10_000, 'Links from a seed to the deepest page; a redirect adds none.', {
    flag: 'max-depth',
    value: 'N',
  }),
});

/** DESIGN 4 "End", "Budgets". */
export const WHEN_TO_STOP = group('When to stop', {
  maxPages: orOff(
    count(1, 1, 1e12, 'Pages after which the crawl stops, counted over all its runs.', {
      flag: 'max-pages',
      value: 'N',
    }),
    'off',
  ),
  maxDuration: orOff(
    duration('1h', '1s', '3650d', 'Time after which this run stops.', { flag: 'max-duration', value: 'D' }),
    'off',
  ),
  patience: duration('3m', '0', '30d', 'The crawl ends when nothing falls due within this time.', {
    flag: 'patience',
    value: 'D',
  }),
  budget: orOff(
    count(10_000, 1, 4e9, 'URLs admitted to one host, and fetches made of it, in one budget period.', {
      flag: 'budget',
      value: 'N',
    }),
  ),
  seedBudget: orOff(
    count(
      100_000,
      1,
      4e9,
      'The budget of the hosts of the seeds; where only `budget` is given or the scope is any, they have that one.',
    ),
  ),
  budgetPeriod: duration('30d', '1m', '3650d', 'How long a budget lasts before it is full again.'),
  'domain.hosts': orOff(count(1000, 1, 1e9, 'Host names of one registrable domain that are crawled.')),
});

/** DESIGN 5. */
export const URLS_TRAPS = group('URLs and traps', {
  'url.tracking': texts(
    ['utm_*', 'fbclid', 'gclid', 'msclkid', 'yclid', 'dclid', 'igshid', 'mc_cid', 'mc_eid', 'ref'],
    'a query parameter name, with a final * for any ending',
    isParameter,
    'Query parameters that only track and are removed from every URL.',
    { frozen: true },
  ),
  'url.session': texts(
    ['sid', 'sessionid', 'PHPSESSID', 'ASPSESSIONID*'],
    'a query parameter name, with a final * for any ending',
    isParameter,
    'Query parameters that are removed where their value is a session token.',
    { frozen: true },
  ),
  'url.pathSession': texts(
    ['jsessionid'],
    'a parameter name, with a final * for any ending',
    isParameter,
    'The same for parameters of a path segment, such as ;jsessionid=.',
    { frozen: true },
  ),
  'url.sessionLength': count(16, 1, 1000, 'The least letters and digits of a session token.', { frozen: true }),
  'trap.urlLength': count(1000, 50, 4096, 'The longest URL in bytes.'),
  'trap.repeat': count(3, 1, 1000, 'How often one path segment may occur in a URL.'),
  'trap.queries': count(1000, 1, 65_535, 'Distinct queries of one path that are crawled.'),
  'trap.sketch': size('16MiB', '64KiB', '16GiB', 'Memory for counting those.'),
  'trap.duplicateRatio': share(
    '80%',
    'A host with more duplicates than this among its last new pages is a suspected trap and falls to level 4.',
  ),
  'trap.duplicateWindow': count(200, 10, 100_000, 'How many last new pages that is.'),
});
