/** What sites are owed, and what becomes of those that fail: parts of the table in `config.ts`. */
import { amount, choice, count, duration, durations, group, size, text } from './kinds.js';
import { normalizeContact } from './texts.js';

/** DESIGN 4 "Delay", "Keys"; 6 "Identity". */
export const POLITENESS = group('Politeness', {
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
  'host.throttledAfter': count(10, 1, 255, 'Answers of 429 or 503 in a row that put a host to sleep.'),
  'host.throttledSleeps': durations(
    ['1h', '6h', '24h'],
    '30d',
    'How long such a host sleeps, the first, second and each later time.',
  ),
});

/** DESIGN 4 "Retries". */
export const FAILURES = group('Failures', {
  'retry.ladder': durations(
    ['30s', '2m', '5m', '15m'],
    '30d',
    'The waits before a failed URL is tried again; the failure after the last makes it a dead letter.',
  ),
  'host.offlineAfter': count(
    5,
    1,
    255,
    'Connection failures and failed look-ups in a row that put a host offline; what the resolver remembers counts once.',
  ),
  'host.nxdomainAfter': count(
    2,
    1,
    255,
    'Look-ups in a row in which two resolvers say that the name does not exist, that put a host offline; where one is all there is, host.offlineAfter counts.',
  ),
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
});

/** DESIGN 6. */
export const ROBOTS = group('Robots', {
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
  'robots.giveUp': duration(
    '30d',
    '1m',
    '365d',
    'How long a host that accepts connections may leave its robots.txt unanswered before its queue is dropped.',
  ),
  'robots.memory': size('64MiB', '1MiB', '16GiB', 'Memory for compiled rules; the rest waits on disk.'),
});
