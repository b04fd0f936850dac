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
  it('holds the defaults of the design', () => {
    const config = loadConfig();
    const minute = 60_000;
    expect(config).toMatchObject({
      scope: 'domain',
      depth: 16,
      maxPages: Number.POSITIVE_INFINITY,
      maxDuration: Number.POSITIVE_INFINITY,
      patience: 3 * minute,
      budget: 10_000,
      seedBudget: 100_000,
      'domain.hosts': 1000,
      delay: 1000,
      'politeness.key': 'host+ip',
      'crawlDelay.cap': 60 * minute,
      'retryAfter.cap': 1440 * minute,
      'host.penaltyCap': 60 * minute,
      'retry.ladder': [30_000, 2 * minute, 5 * minute, 15 * minute],
      'host.offline': [60 * minute, 360 * minute, 1440 * minute],
      'robots.bytes': 500 * 1024,
      'timeout.firstByte': 10_000,
      'http.headers': 65_536,
      'redirect.chain': 10,
      workers: 'auto',
      'frontier.backQueues': 1024,
      'batch.time': 200,
      'segment.bytes': 2 ** 30,
      'memory.refuseLevel4': 0.8,
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
    [{}, { budget: '-1' }, '--budget cannot be "-1": give a whole number from 1 to 1,000,000,000,000, or off.'],
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
