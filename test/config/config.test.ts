import { describe, expect, it } from 'vitest';
import { OPTION_NAMES, OPTIONS, type OptionName, optionOf, optionOfFlag } from '../../src/config/config.js';
import {
  checkReach,
  checkWorkers,
  frozenDifference,
  frozenOptions,
  loadConfig,
  userAgent,
} from '../../src/config/load-config.js';
import { UserError } from '../../src/errors.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1024;
const MIB = 1024 * KIB;
const FOREVER = Number.POSITIVE_INFINITY;

/** The message of the usage error that this throws. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).exitCode).toBe(2);
    return (error as UserError).message;
  }
  throw new Error('nothing was refused');
}

describe('the table', () => {
  const DEFAULTS: readonly (readonly [topic: string, option: OptionName, value: unknown])[] = [
    ['scope: what a crawl covers', 'scope', 'domain'],
    ['limits: links from a seed', 'depth', 16],
    ['limits: pages', 'maxPages', FOREVER],
    ['limits: duration', 'maxDuration', FOREVER],
    ['end: patience', 'patience', 3 * MINUTE],
    ['budgets: URLs and fetches of a host', 'budget', 10_000],
    ['budgets: those of seed hosts', 'seedBudget', 100_000],
    ['budgets: period', 'budgetPeriod', 30 * DAY],
    ['budgets: hosts of a registrable domain', 'domain.hosts', 1000],
    ['delay: floor', 'delay', 1000],
    ['delay: times the fetch time', 'politeness.factor', 10],
    ['delay: cap of that', 'politeness.factorCap', MINUTE],
    ['delay: Crawl-delay, at most', 'crawlDelay.cap', HOUR],
    ['delay: Retry-After, at most', 'retryAfter.cap', DAY],
    ['delay: doubled by 429 and 503, at most', 'host.penaltyCap', HOUR],
    ['delay: throttled answers in a row before a sleep', 'host.throttledAfter', 10],
    ['delay: sleeps of a host that throttles', 'host.throttledSleeps', [HOUR, 6 * HOUR, DAY]],
    ['keys: what has a clock', 'politeness.key', 'host+ip'],
    ['keys: requests of a domain at a CDN', 'politeness.perDomain', 4],
    ['keys: domains that make an address shared', 'politeness.sharedFrom', 16],
    ['keys: requests at a shared address', 'politeness.sharedRequests', 2],
    ['keys: gap of a shared address', 'politeness.sharedGap', 250],
    ['retries: ladder', 'retry.ladder', [30_000, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE]],
    ['retries: failures in a row before offline', 'host.offlineAfter', 5],
    ['retries: unknown names in a row before offline', 'host.nxdomainAfter', 2],
    ['retries: times offline', 'host.offline', [HOUR, 6 * HOUR, DAY]],
    ['clocks: owed after an unclean stop', 'unclean.owe', 10_000],
    ['back queues: to start with', 'frontier.backQueues', 1024],
    ['back queues: at most', 'frontier.backQueuesMax', 65_536],
    ['back queues: fetches before a host yields', 'frontier.quantum.fetches', 64],
    ['back queues: time before a host yields', 'frontier.quantum.time', 10 * MINUTE],
    ['back queues: a host sleeps beyond', 'frontier.sleep', 30_000],
    ['reader: URLs read ahead', 'frontier.lookahead', 64],
    ['priority: share of due revisits', 'frontier.revisitShare', 0.5],
    ['memory: limit', 'memory.limit', 'auto'],
    ['memory: level 4 is refused', 'memory.refuseLevel4', 0.8],
    ['memory: level 3 is refused', 'memory.refuseLevel3', 0.9],
    ['workers: page worker threads', 'workers', 'auto'],
    ['workers: heartbeat', 'worker.heartbeat', 2000],
    ['workers: dead after', 'worker.deadAfter', 10_000],
    ['workers: a host moves after', 'worker.affinity', 1000],
    ['workers: a turn of parsing', 'parse.turn', 8],
    ['workers: bodies in flight', 'memory.bodies', 64 * MIB],
    ['robots: bytes read', 'robots.bytes', 500 * KIB],
    ['robots: held for', 'robots.ttl', DAY],
    ['robots: first wait after a failure', 'robots.retry', 5 * MINUTE],
    ['robots: longest wait after failures', 'robots.retryCap', DAY],
    ['robots: a last good copy stands in for', 'robots.stale', 30 * DAY],
    ['robots: compiled rules', 'robots.memory', 64 * MIB],
    ['timeouts: DNS', 'timeout.dns', 5000],
    ['timeouts: connect', 'timeout.connect', 5000],
    ['timeouts: TLS', 'timeout.tls', 5000],
    ['timeouts: first byte', 'timeout.firstByte', 10_000],
    ['timeouts: whole', 'timeout.whole', 30_000],
    ['timeouts: slow for', 'timeout.slow', 10_000],
    ['timeouts: slow means bytes a second', 'timeout.slowRate', KIB],
    ['caps: headers', 'http.headers', 64 * KIB],
    ['caps: text on the wire', 'body.text.wire', 5 * MIB],
    ['caps: text decoded', 'body.text.decoded', 20 * MIB],
    ['caps: sitemap on the wire', 'body.sitemap.wire', 50 * MIB],
    ['caps: sitemap decoded', 'body.sitemap.decoded', 50 * MIB],
    ['caps: PDF', 'body.pdf', 32 * MIB],
    ['bombs: ratio', 'decode.ratio', 200],
    ['bombs: decoded size from which it counts', 'decode.ratioFrom', MIB],
    ['redirects: chain', 'redirect.chain', 10],
    ['redirects: spellings of one key', 'redirect.same', 5],
    ['names: shortest time an address is held', 'resolver.ttlMin', 5 * MINUTE],
    ['names: longest time an address is held', 'resolver.ttlMax', DAY],
    ['names: negative answers', 'resolver.negative', 5 * MINUTE],
    ['URLs: letters of a session token', 'url.sessionLength', 16],
    ['traps: bytes of a URL', 'trap.urlLength', 1000],
    ['traps: one segment in a path', 'trap.repeat', 3],
    ['traps: queries of a path', 'trap.queries', 1000],
    ['traps: sketch', 'trap.sketch', 16 * MIB],
    ['traps: duplicates among new pages', 'trap.duplicateRatio', 0.8],
    ['traps: new pages looked at', 'trap.duplicateWindow', 200],
    ['archive: segments', 'segment.bytes', 1024 * MIB],
    ['batches: time', 'batch.time', 200],
    ['batches: changes', 'batch.changes', 2000],
    ['seen: filter', 'seen.filter', 'exact'],
    ['seen: bits a key', 'seen.bloomBits', 20],
    ['duplicates: links of equal pages', 'dedupe.exact', 'drop'],
    ['duplicates: links of near pages', 'dedupe.near', 'demote'],
    ['revisits: least', 'revisit.min', HOUR],
    ['revisits: most', 'revisit.max', 30 * DAY],
    ['revisits: policy of a crawl with an end', 'revisit.policy', 'none'],
    ['simhash: bits that near pages differ by', 'simhash.distance', 3],
    ['simhash: least shingles of a fingerprint', 'simhash.shingles', 20],
  ];

  it.each(DEFAULTS)('holds the default of the design for %s', (_, option, value) => {
    expect(loadConfig()[option]).toEqual(value);
  });

  it('starts with parameters of the design that only track, and those that hold a session', () => {
    const tracking = ['utm_*', 'fbclid', 'gclid', 'msclkid', 'yclid', 'dclid', 'igshid', 'mc_cid', 'mc_eid', 'ref'];
    expect(loadConfig()).toMatchObject({
      'url.tracking': tracking,
      'url.session': ['sid', 'sessionid', 'PHPSESSID', 'ASPSESSIONID*'],
      'url.pathSession': ['jsessionid'],
    });
  });

  it('accepts each default that it shows, within its own range', () => {
    for (const name of Object.keys(OPTIONS) as OptionName[]) {
      const option = optionOf(name);
      if (option.initial === null || (Array.isArray(option.initial) && option.initial.length === 0)) continue;
      expect(option.read(option.initial), name).toEqual(option.initial);
    }
  });

  it('has for every option a sentence, a heading and a range', () => {
    for (const name of Object.keys(OPTIONS) as OptionName[]) {
      const option = optionOf(name);
      expect(option.says, name).toMatch(/^[A-Z].*[^.]\.$/);
      expect(option.group, name).not.toBe('');
      expect(option.allowed, name).toMatch(/^(a|an|one|PATTERN)\b/);
    }
  });

  it('has no name that is a folder of another, so that nested files can say all of them', () => {
    const names = Object.keys(OPTIONS);
    for (const name of names) expect(names.filter((other) => other.startsWith(`${name}.`))).toEqual([]);
  });

  it('gives each flag to one option', () => {
    const flags = OPTION_NAMES.map((name) => optionOf(name).flag).filter((flag) => flag !== undefined);
    expect(new Set(flags).size).toBe(flags.length);
    expect(optionOfFlag('max-pages')).toBe('maxPages');
    expect(optionOfFlag('max-pagse')).toBe(null);
  });
});

describe('the words about a range', () => {
  it.each(OPTION_NAMES)('%s: its examples are in its range', (name) => {
    const { allowed, read } = optionOf(name);
    const range = / (?:duration|size) from .* such as ([^"]*?)(?:, or (?:off|auto))?$/.exec(allowed);
    if (range === null) return expect(allowed).not.toMatch(/(?:duration|size) from/);
    for (const example of range[1].split(/, | or /)) expect(read(example), example).toBeGreaterThan(0);
  });
});

describe('loading', () => {
  it('lets flags win over the file and the file over the defaults', () => {
    const config = loadConfig({ delay: '2s', timeout: { dns: '3s' }, 'timeout.tls': 700 }, { delay: '300ms' });
    expect(config.delay).toBe(300);
    expect(config['timeout.dns']).toBe(3000);
    expect(config['timeout.tls']).toBe(700);
    expect(config['timeout.connect']).toBe(5000);
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig())).toBe(true);
  });

  it.each([
    [{ delay: '5 parsecs' }, {}, 'delay in my.json cannot be "5 parsecs": give a duration from 0 to 1h'],
    [{ delay: '5' }, {}, 'delay in my.json cannot be "5"'],
    [{ timeout: { dns: true } }, {}, 'timeout.dns in my.json cannot be true'],
    [{ scope: 'planet' }, {}, 'scope in my.json cannot be "planet": give one of any, domain, host, prefix.'],
    [{ depth: 1.5 }, {}, 'depth in my.json cannot be 1.5: give a whole number'],
    [{ 'retry.ladder': ['30s', 'soon'] }, {}, '"soon"'],
    [{ 'retry.ladder': [] }, {}, 'cannot be []'],
    [{}, { delay: '2h' }, '--delay cannot be "2h"'],
    [{}, { budget: '-1' }, '--budget cannot be "-1": give a whole number from 1 to 4,000,000,000, or off.'],
    [{}, { 'allow-private': ['10.0.0.0/8', '10.0.0.0/33'] }, '--allow-private cannot be "10.0.0.0/33"'],
    [{}, { contact: 'me' }, '--contact cannot be "me": give a URL or a mail address.'],
    [{}, { resolve: ['*.test'] }, '--resolve cannot be "*.test": give PATTERN=ADDRESS'],
    [{ timeuot: { dns: '1s' } }, {}, 'no option "timeuot.dns" (in my.json); the nearest is timeout.dns.'],
    [{ dealy: '1s' }, {}, 'the nearest is delay.'],
    [{ qqqqqqq: 1 }, {}, 'There is no option "qqqqqqq" (in my.json).'],
    [{ 'parse.overflow': 'spill' }, {}, 'parse.overflow in my.json is not available in this version yet.'],
    [[], {}, 'My.json must hold an object of options.'],
    [null, {}, 'My.json must hold an object of options.'],
    ['delay', {}, 'My.json must hold an object of options.'],
    [{ 'worker.heartbeat': '1m' }, {}, 'worker.heartbeat cannot be larger than worker.deadAfter.'],
    [{ toString: 1 }, {}, 'There is no option "toString"'],
  ])('refuses %j %j in one sentence that says what is allowed', (file, flags, words) => {
    expect(refusal(() => loadConfig(file, flags as never, 'my.json'))).toContain(words);
  });

  it('gives seeds the budget that was asked for, and a larger one when none was', () => {
    expect(loadConfig({}, {}).seedBudget).toBe(100_000);
    expect(loadConfig({}, { budget: '500' }).seedBudget).toBe(500);
    expect(loadConfig({}, { budget: 'off' }).seedBudget).toBe(Number.POSITIVE_INFINITY);
    expect(loadConfig({}, { scope: 'any' }).seedBudget).toBe(10_000);
    expect(loadConfig({ seedBudget: 7 }, { budget: '500' }).seedBudget).toBe(7);
  });

  it.each([
    ['https://example.org/bot', 'https://example.org/bot'],
    ['mailto:me@example.org', 'mailto:me@example.org'],
    ['me@example.org', 'mailto:me@example.org'],
  ])('takes %s as a contact', (contact, shown) => {
    expect(loadConfig({}, { contact }).contact).toBe(shown);
  });

  it.each([
    'http://a/\r\nX: y',
    'mailto:',
    'ftp://x/',
    'https://',
    'me@',
    'x@y)',
    'é@example.org',
    `https://a/${'a'.repeat(300)}`,
  ])('keeps %j out of the User-Agent', (contact) => {
    expect(refusal(() => loadConfig({}, { contact }))).toContain('--contact');
  });

  it.each([
    [
      'allow-private',
      ['10.0.0.0/8', '127.0.0.1', 'fd00::/8', '::1'],
      ['10.0.0.0/', '10.0.0.256/8', 'fd00::/129', 'x/8', '010.0.0.0/8'],
    ],
    [
      'resolve',
      ['*.test=127.0.0.1', 'A.test=127.64.0.0/10', '*=::1'],
      ['=127.0.0.1', 'a b=127.0.0.1', 'a=b', 'a=127.0.0.1/8/9'],
    ],
    [
      'dns',
      ['9.9.9.9', '127.0.0.1:5353', '::1', '[::1]', '[::1]:53'],
      ['dns.google', '9.9.9.9:0', '9.9.9.9:70000', '[9.9.9.9]', '::1:53x'],
    ],
    ['sitemap', ['https://a.test/s.xml'], ['/s.xml', 'file:///etc/passwd', 'http://u:p@a.test/']],
    ['include', ['https://a.test/*'], ['', 'a b']],
  ])('checks the form of --%s', (flag, good, bad) => {
    for (const value of good) expect(() => loadConfig({}, { [flag]: [value] }), value).not.toThrow();
    for (const value of bad)
      expect(
        refusal(() => loadConfig({}, { [flag]: [value] })),
        value,
      ).toContain(`--${flag} cannot be`);
  });
});

describe('page workers', () => {
  it('are refused beyond sixteen for each core', () => {
    const workers = (n: string) => () => checkWorkers(loadConfig({}, { workers: n }), 2);
    expect(workers('32')).not.toThrow();
    expect(workers('auto')).not.toThrow();
    expect(workers('33')).toThrow('--workers 33 is too much for this machine: one worker keeps a core busy, and 32 is');
  });
});

describe('a crawl beyond this machine', () => {
  const contact = 'https://example.org/bot';
  it('needs a contact and a delay, and one that stays needs neither', () => {
    expect(refusal(() => checkReach(loadConfig(), 'example.org'))).toContain('--contact');
    expect(refusal(() => checkReach(loadConfig({}, { contact, delay: '0' }), 'example.org'))).toContain('--delay 0');
    expect(() => checkReach(loadConfig({}, { contact }), 'example.org')).not.toThrow();
    expect(() => checkReach(loadConfig({}, { delay: '0' }), null)).not.toThrow();
  });

  it('says who it is', () => {
    expect(userAgent('0.1.0', contact)).toBe('Saunter/0.1.0 (+https://example.org/bot)');
    expect(userAgent('0.1.0', null)).toBe('Saunter/0.1.0');
  });
});

describe('options that enter the keys of URLs', () => {
  it('are compared on a resume, and the difference is named', () => {
    const stored = frozenOptions(loadConfig());
    expect(frozenDifference(stored, loadConfig({ delay: '9s' }))).toBe(null);
    expect(frozenDifference(stored, loadConfig({ 'url.tracking': ['utm_*'] }))).toMatch(
      /^url\.tracking was \["utm_\*",.* is \["utm_\*"\] now$/,
    );
    expect(frozenDifference('[]', loadConfig())).toContain('url.tracking was undefined');
  });
});
