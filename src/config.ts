/**
 * Every option: its default, unit, range and what it does. Flags, the config file, `docs/configuration.md` and
 * `--help` are derived from this table; nothing else in the program knows a default. Inside the program durations are
 * milliseconds, sizes bytes, shares 0 to 1, and `off` is Infinity.
 */
import { MEMORY, SEEN, STORAGE } from './config-storage.js';
import {
  amount,
  choice,
  count,
  duration,
  durations,
  group,
  type Option,
  orAuto,
  orOff,
  share,
  size,
  text,
  texts,
} from './option-kinds.js';
import {
  isAddress,
  isCidr,
  isHandler,
  isHttpUrl,
  isParameter,
  isPattern,
  isResolveRule,
  isResolver,
  normalizeContact,
} from './option-texts.js';

export const OPTIONS = {
  // -- DESIGN 5, 11
  ...group('What to crawl', {
    scope: choice(
      'domain',
      ['any', 'domain', 'host', 'prefix'],
      'How far links are followed: anywhere, within the registrable domains of the seeds, on their hosts, or below their paths.',
      { flag: 'scope' },
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
      'URLs that match one of these are not crawled.',
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
  }),
  // -- DESIGN 4 "End", "Budgets"
  ...group('When to stop', {
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
      count(10_000, 1, 1e12, 'URLs admitted to one host, and fetches made of it, in one budget period.', {
        flag: 'budget',
        value: 'N',
      }),
    ),
    seedBudget: orOff(
      count(
        100_000,
        1,
        1e12,
        'The budget of the hosts of the seeds; where only `budget` is given or the scope is any, they have that one.',
      ),
    ),
    budgetPeriod: duration('30d', '1m', '3650d', 'How long a budget lasts before it is full again.'),
    'domain.hosts': orOff(count(1000, 1, 1e9, 'Host names of one registrable domain that are crawled.')),
  }),
  // -- DESIGN 4 "Delay", "Keys"; 6 "Identity"
  ...group('Politeness', {
    contact: text(
      'a URL or a mail address',
      normalizeContact,
      'Whom site owners can reach about this crawl; sent in the User-Agent.',
      { flag: 'contact', value: 'C' },
    ),
    delay: duration(
      '1s',
      '0',
      '1h',
      'The shortest gap between the end of one request to a host and the start of the next; 0 on loopback only.',
      { flag: 'delay', value: 'D' },
    ),
    'politeness.key': choice(
      'host+ip',
      ['host+ip', 'host', 'ip'],
      'What a gap belongs to: host and address, host name alone, or address alone.',
    ),
    'politeness.factor': amount(
      10,
      0,
      1000,
      'The gap is at least this many times as long as the fetch took; not with a delay of 0.',
    ),
    'politeness.factorCap': duration('60s', '0', '1h', 'The longest gap that the fetch time can cause.'),
    'politeness.cdn': text(
      'a path to a file',
      (path) => (path === '' ? null : path),
      'A file with the address ranges of CDNs, one in CIDR form a line, in place of the list that comes with the program.',
    ),
    'politeness.perDomain': count(4, 1, 64, 'Requests at once to one registrable domain at addresses of a known CDN.'),
    'politeness.sharedFrom': count(16, 1, 1e6, 'An address that answered for more domains is shared hosting.'),
    'politeness.sharedRequests': count(2, 1, 16, 'Requests at once to a shared address, until one is refused.'),
    'politeness.sharedGap': duration('250ms', '0', '1h', 'The gap of a shared address, if the delay is longer.'),
    'crawlDelay.cap': duration('1h', '0', '1d', 'The longest Crawl-delay that is obeyed; more means do not crawl.'),
    'retryAfter.cap': duration('24h', '1s', '24h', 'The longest Retry-After that is obeyed.'),
    'host.penaltyCap': duration('1h', '1s', '1d', 'The longest delay that answers of 429 and 503 double up to.'),
    'host.throttledAfter': count(10, 1, 1000, 'Answers of 429 or 503 in a row that put a host to sleep.'),
    'host.throttledSleeps': durations(
      ['1h', '6h', '24h'],
      '30d',
      'How long such a host sleeps, the first, second and each later time.',
    ),
  }),
  // -- DESIGN 4 "Retries"
  ...group('Failures', {
    'retry.ladder': durations(
      ['30s', '2m', '5m', '15m'],
      '30d',
      'The waits before a failed URL is tried again; the failure after the last makes it a dead letter.',
    ),
    'host.offlineAfter': count(5, 1, 1000, 'Connection and DNS failures in a row that put a host offline.'),
    'host.nxdomainAfter': count(2, 1, 1000, 'Answers in a row that the name does not exist that put a host offline.'),
    'host.offline': durations(
      ['1h', '6h', '24h'],
      '30d',
      'How long a host stays offline each time; when it fails after the last, its queue dies.',
    ),
    'unclean.owe': duration(
      '10s',
      '0',
      '1h',
      'After a crash, what each host that was being fetched owes at least before its next request.',
    ),
  }),
  // -- DESIGN 6
  ...group('Robots', {
    'robots.bytes': size('500KiB', '500KiB', '16MiB', 'How much of a robots.txt is read.'),
    'robots.ttl': duration('24h', '1m', '24h', 'How long a robots.txt is used before it is fetched again.'),
    'robots.retry': duration(
      '5m',
      '10ms',
      '24h',
      'The wait before a robots.txt that could not be read is tried again; it doubles.',
    ),
    'robots.retryCap': duration('24h', '10ms', '24h', 'The longest such wait.'),
    'robots.stale': duration(
      '30d',
      '0',
      '365d',
      'How long a last good copy stands in for a robots.txt that cannot be read.',
    ),
    'robots.memory': size('64MiB', '1MiB', '16GiB', 'Memory for compiled rules; the rest waits on disk.'),
  }),
  // -- DESIGN 7
  ...group('Fetching', {
    'timeout.dns': duration('5s', '1ms', '5m', 'The longest a name may take to resolve.'),
    'timeout.connect': duration('5s', '1ms', '5m', 'The longest a connection may take to open.'),
    'timeout.tls': duration('5s', '1ms', '5m', 'The longest a TLS handshake may take.'),
    'timeout.firstByte': duration('10s', '1ms', '10m', 'The longest a server may think before its answer begins.'),
    'timeout.whole': duration('30s', '1ms', '1h', 'The longest a whole request may take.'),
    'timeout.slow': duration(
      '10s',
      '1ms',
      '1h',
      'A body that stays slower than timeout.slowRate for this long is given up.',
    ),
    'timeout.slowRate': size('1KiB', '0', '1GiB', 'The least a body must bring per second.'),
    'http.headers': size('64KiB', '1KiB', '16MiB', 'The largest header block of an answer.'),
    'body.text.wire': size('5MiB', '1KiB', '1GiB', 'How much of an HTML or text body is read off the wire.'),
    'body.text.decoded': size('20MiB', '1KiB', '1GiB', 'How much of an HTML or text body is kept after decompression.'),
    'body.sitemap.wire': size('50MiB', '1KiB', '1GiB', 'How much of a sitemap is read off the wire.'),
    'body.sitemap.decoded': size('50MiB', '1KiB', '1GiB', 'How much of a sitemap is kept after decompression.'),
    'body.pdf': size('32MiB', '1KiB', '1GiB', 'How much of a PDF is read; a longer one is recorded and not parsed.'),
    'decode.ratio': amount(
      200,
      2,
      100_000,
      'A body that decompresses to more than this many times its size is a bomb.',
    ),
    'decode.ratioFrom': size('1MiB', '0', '1GiB', 'The decompressed size from which the ratio counts.'),
    'tls.invalid': choice(
      'refuse',
      ['refuse', 'record'],
      'A certificate that is expired, for another name or of an unknown issuer is refused, or the page is fetched and the fault recorded with it.',
    ),
    'redirect.chain': count(10, 0, 100, 'Redirects in a row before a chain is given up.'),
    'redirect.same': count(5, 0, 20, 'Redirects in a row from a URL to another spelling of itself.'),
    allowPrivate: texts(
      [],
      'an address range in CIDR form, such as 10.0.0.0/8 or fd00::/8',
      isCidr,
      'A range of non-public addresses that may be fetched from, for seeds and what they link to in there.',
      { flag: 'allow-private', value: 'CIDR' },
    ),
  }),
  ...group('Name resolution', {
    resolve: texts(
      [],
      'PATTERN=ADDRESS[/PREFIX], such as "*.test=127.0.0.1"',
      isResolveRule,
      'Host names that match the pattern live at this address (with a prefix: spread over it) and are not looked up.',
      { flag: 'resolve', value: 'PATTERN=ADDRESS' },
    ),
    dns: texts(
      [],
      'an address with an optional port, such as 9.9.9.9 or [::1]:5353',
      isResolver,
      'A DNS server to ask instead of those of the system; several are asked in turn.',
      { flag: 'dns', value: 'SERVER' },
    ),
    'resolver.ttlMin': duration('5m', '0', '7d', 'The shortest an address is kept, whatever its record says.'),
    'resolver.ttlMax': duration('24h', '1s', '30d', 'The longest an address is kept, whatever its record says.'),
    'resolver.negative': duration('5m', '0', '7d', 'How long a failed look-up is remembered.'),
  }),
  // -- DESIGN 3
  ...group('Dashboard and API', {
    admin: orOff(
      count(
        8787,
        1,
        65_535,
        'Port of the dashboard and the HTTP API of a running crawl, on 127.0.0.1, with a token: that of SAUNTER_TOKEN, or one that is printed.',
        {
          flag: 'admin',
          value: 'PORT',
        },
      ),
      'off',
    ),
    adminAddress: text(
      'an IP address of this machine, such as 127.0.0.1 or 0.0.0.0',
      isAddress,
      'Address that they listen on; none is 127.0.0.1, which only this machine reaches.',
    ),
  }),
  ...group('Threads and memory', {
    workers: orAuto(
      count(1, 1, 256, 'Page worker threads: fetching, archiving and parsing; auto is one per core.', {
        flag: 'workers',
        value: 'N',
      }),
    ),
    concurrency: count(256, 1, 65_536, 'Requests in flight at once, all workers together.', {
      flag: 'concurrency',
      value: 'N',
    }),
    'worker.heartbeat': duration('2s', '10ms', '1m', 'How often a worker shows that it is alive.'),
    'worker.deadAfter': duration('10s', '100ms', '10m', 'A worker that was silent for this long is replaced.'),
    'worker.affinity': duration(
      '1s',
      '0',
      '1h',
      'How long a host waits for room in the worker that holds its connection before it moves to another.',
    ),
    'parse.turn': duration('8ms', '1ms', '1s', 'The longest a worker parses before it looks after its sockets.'),
    'parse.overflow': choice(
      'throttle',
      ['throttle', 'spill'],
      'When parsing falls behind: fetch less, or drop bodies and parse them later from the archive.',
      { pending: true },
    ),
    'memory.bodies': size(
      '64MiB',
      '1MiB',
      '64GiB',
      'Bodies in memory at once, all workers together; past it nothing new is fetched.',
    ),
    ...MEMORY,
  }),
  // -- DESIGN 3, 11
  ...group('Documents', {
    handlers: texts(
      [],
      'a pair TYPE=MODULE, such as application/epub+zip=./epub.js',
      isHandler,
      'A module that reads documents of a content type: its default export gets their bytes and URL.',
    ),
    'document.time': duration('30s', '10ms', '1h', 'The longest a PDF, or a handler, may take for one document.'),
    'document.memory': size('512MiB', '16MiB', '64GiB', 'The memory that reading one such document may take.'),
    'pdf.pages': count(1000, 1, 1e6, 'Pages of a PDF that are read.'),
  }),
  // -- DESIGN 4 "Front queues", "Back queues"
  ...group('Frontier', {
    'frontier.backQueues': count(1024, 1, 65_536, 'Hosts in play at once, to begin with.'),
    'frontier.backQueuesMax': count(
      65_536,
      1,
      65_536,
      'What that number may double up to while fetchers starve and hosts wait.',
    ),
    'frontier.quantum.fetches': count(64, 1, 1e6, 'Fetches after which a host yields its place to others that wait.'),
    'frontier.quantum.time': duration('10m', '1s', '1d', 'Time after which it does.'),
    'frontier.sleep': duration(
      '30s',
      '0',
      '1h',
      'A host that may not be fetched for longer than this holds no place in play.',
    ),
    'frontier.lookahead': count(64, 1, 4096, 'URLs of a host in play that are read from the store ahead of time.'),
    score: text(
      'a path to a module',
      (path) => (path === '' ? null : path),
      'A module whose default export gives each new URL a level from 1 (soon) to 4 (late).',
    ),
    'frontier.revisitShare': share('50%', 'Of the turns of a host, what due revisits may take while new URLs wait.'),
  }),
  // -- DESIGN 5
  ...group('URLs and traps', {
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
    'trap.urlLength': count(1000, 50, 65_536, 'The longest URL in bytes.'),
    'trap.repeat': count(3, 1, 1000, 'How often one path segment may occur in a URL.'),
    'trap.queries': count(1000, 1, 1e9, 'Distinct queries of one path that are crawled.'),
    'trap.sketch': size('16MiB', '64KiB', '16GiB', 'Memory for counting those.'),
    'trap.duplicateRatio': share(
      '80%',
      'A host with more duplicates than this among its last new pages is a suspected trap and falls to level 4.',
    ),
    'trap.duplicateWindow': count(200, 10, 100_000, 'How many last new pages that is.'),
  }),
  // -- DESIGN 8
  ...STORAGE,
  // -- DESIGN 10
  ...group('Duplicates and revisits', {
    ...SEEN,
    'simhash.distance': count(3, 0, 3, 'Fingerprint bits by which near-duplicates may differ.'),
    'simhash.shingles': count(20, 1, 10_000, 'The least three-word shingles of a text that gets a fingerprint.'),
    'dedupe.exact': choice(
      'drop',
      ['drop', 'demote', 'follow'],
      'What becomes of the links of a page whose content is held already.',
    ),
    'dedupe.near': choice('demote', ['drop', 'demote', 'follow'], 'What becomes of the links of a near-duplicate.'),
    'revisit.policy': choice(
      'none',
      ['none', 'adaptive', 'uniform', 'optimal'],
      'When pages are fetched again; with any but none the crawl stands: it goes on until it is stopped.',
      { flag: 'revisit' },
    ),
    'revisit.first': duration(
      '1d',
      '1s',
      '3650d',
      'The time from the first visit of a page to the second, but for the uniform policy.',
    ),
    'revisit.min': duration('1h', '1s', '365d', 'The shortest time to the next visit.'),
    'revisit.max': duration('30d', '1s', '3650d', 'The longest time to the next visit.'),
    'revisit.every': duration('30d', '1s', '3650d', 'The time to the next visit under the uniform policy.'),
    'revisit.perDay': orAuto(
      count(
        1,
        1,
        1e12,
        'Revisits a day that the optimal policy spends; auto is what uniform would: all pages in revisit.every.',
      ),
    ),
  }),
};

export type OptionName = keyof typeof OPTIONS;
export type Config = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends Option<infer Value> ? Value : never;
};

/** The options that work, in the order of the table. */
export const OPTION_NAMES = (Object.keys(OPTIONS) as OptionName[]).filter((name) => !optionOf(name).pending);

export function optionOf(name: OptionName): Option<unknown> {
  return OPTIONS[name];
}

/** The option behind a flag (`max-pages`), or null. */
export function optionOfFlag(flag: string): OptionName | null {
  return OPTION_NAMES.find((name) => optionOf(name).flag === flag) ?? null;
}
