/** What a host is owed after a request, budgets, retries and the gate of robots: the rules of DESIGN 4, by figures. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import type { OutcomeCode } from '../../src/errors.js';
import { fetchAllowedAt, mayAdmit } from '../../src/frontier/budgets.js';
import { charge, type DelayRules } from '../../src/frontier/clocks.js';
import { HostTable } from '../../src/frontier/host-table.js';
import { RetryQueue } from '../../src/frontier/retry-queue.js';
import { RobotsGate } from '../../src/frontier/robots-gate.js';

/** What is said of a value that an option does not take. */
function refused(name: string, value: string): string {
  try {
    loadConfig({ [name]: value }, {});
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const HOUR = 3_600_000;
const PERIOD = 30 * 24 * HOUR;
const RULES: DelayRules = {
  ...{ delay: 1_000, fetchFactor: 10, fetchCap: 60_000, penaltyCap: HOUR, retryAfterCap: 24 * HOUR },
  ...{ throttlesBeforeSleep: 10, sleeps: [HOUR, 6 * HOUR, 24 * HOUR] },
  ...{ failuresBeforeOffline: 5, nxdomainsBeforeOffline: 2, offline: [HOUR, 6 * HOUR, 24 * HOUR] },
};

function host(): {
  hosts: HostTable;
  end: (code: OutcomeCode, ms?: number, retryAfter?: number) => ReturnType<typeof charge>;
} {
  const hosts = new HostTable();
  hosts.append('a.test', 'a.test', null, false, 0);
  return { hosts, end: (code, ms = 0, retryAfter) => charge(hosts, 0, code, ms, retryAfter ?? null, RULES) };
}

describe('the delay after a request', () => {
  test.each([
    ['is the floor', 20, 0, 1_000],
    ['is ten times the fetch time', 350, 0, 3_500],
    ['is no more than 60 s for a slow fetch', 20_000, 0, 60_000],
    ['is the Crawl-delay', 350, 20_000, 20_000],
    ['is the largest of them', 9_000, 20_000, 60_000],
  ])('%s', (_, ms, crawlDelay, delay) => {
    const { hosts, end } = host();
    hosts.crawlDelay[0] = crawlDelay;
    expect(end('ok', ms).delay).toBe(delay);
  });

  test('doubles with each 429 up to an hour, and each success halves it back', () => {
    const { end } = host();
    const up = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000];
    expect(up.map(() => end('http.throttled').delay)).toEqual(up);
    expect(end('ok').delay).toBe(256_000);
    for (let i = 0; i < 9; i++) end('http.throttled');
    expect(end('http.throttled').delay).toBe(HOUR);
    let successes = 0;
    while (end('ok').delay > 1_000) successes++;
    expect(successes).toBe(11);
    expect(end('ok').recovered).toBe(false);
  });

  test('puts a host to sleep, or offline, at the largest numbers that the options allow', () => {
    const hosts = new HostTable();
    hosts.append('a.test', 'a.test', null, false, 0);
    const largest = { ...RULES, throttlesBeforeSleep: 255, failuresBeforeOffline: 255, nxdomainsBeforeOffline: 255 };
    const ends = (code: OutcomeCode) => Array.from({ length: 255 }, () => charge(hosts, 0, code, 5, null, largest).why);
    for (const [code, why] of [
      ['http.throttled', 'asleep'],
      ['connect.refused', 'offline'],
      ['dns.nxdomain', 'offline'],
    ] as const) {
      const reasons = ends(code);
      expect([reasons.slice(0, -1).includes(why), reasons.at(-1)]).toEqual([false, why]);
      charge(hosts, 0, 'ok', 5, null, largest);
    }
    expect(
      ['host.throttledAfter', 'host.offlineAfter', 'host.nxdomainAfter'].map((name) => refused(name, '256')),
    ).toEqual(Array(3).fill(expect.stringContaining('255')));
  });

  test('is doubled from what the host owed last: a slow host that refuses quickly is not asked sooner than before', () => {
    const { hosts, end } = host();
    hosts.owed[0] = end('ok', 2_000).delay;
    expect(hosts.owed[0]).toBe(20_000);
    expect(end('http.throttled', 5).delay).toBe(40_000);
    expect(end('ok', 5).delay).toBe(20_000);
  });

  test('is at least Retry-After, up to a day, also when the answer puts the host to sleep', () => {
    const { end } = host();
    expect(end('http.throttled', 0, 7_000).delay).toBe(7_000);
    expect(end('http.throttled', 0, 90 * HOUR).delay).toBe(24 * HOUR);
    for (let i = 3; i < 10; i++) expect(end('http.throttled', 0, 1).why).toBe('none');
    expect(end('http.throttled', 0, 20 * HOUR)).toMatchObject({ why: 'asleep', rest: HOUR, delay: 20 * HOUR });
  });
});

test('ten 429 in a row put a host to sleep: 1 h, 6 h, 24 h and 24 h again; a success begins anew', () => {
  const { end } = host();
  const sleep = (): number => {
    for (let i = 1; i < 10; i++) expect(end('http.throttled').rest).toBe(0);
    return end('http.throttled').rest;
  };
  expect([sleep(), sleep(), sleep(), sleep()]).toEqual([HOUR, 6 * HOUR, 24 * HOUR, 24 * HOUR]);
  end('ok');
  expect(sleep()).toBe(HOUR);
});

test('five failures to connect put a host offline; then one each: 6 h, 24 h, and it is given up', () => {
  const { end } = host();
  for (let i = 1; i < 5; i++) expect(end('connect.refused').why).toBe('none');
  expect(end('connect.timeout')).toMatchObject({ why: 'offline', rest: HOUR });
  expect(end('connect.refused')).toMatchObject({ why: 'offline', rest: 6 * HOUR });
  expect(end('dns.timeout')).toMatchObject({ why: 'offline', rest: 24 * HOUR });
  expect(end('connect.refused').why).toBe('dropped');
  expect(end('connect.refused').why).toBe('dropped');
  expect(end('http.gone').recovered).toBe(true);
  expect(end('connect.refused').why).toBe('none');
});

test('two answers that the name does not exist are enough, and an answer in between starts the count again', () => {
  const { end } = host();
  end('dns.nxdomain');
  end('ok');
  end('dns.nxdomain');
  expect(end('dns.nxdomain').why).toBe('offline');
});

test('an answer that was cut off or came too late is no reason to go offline', () => {
  const { end } = host();
  for (let i = 0; i < 50; i++) expect(end(i % 2 ? 'read.reset' : 'read.first-byte').why).toBe('none');
});

describe('a budget', () => {
  function budgeted(budget: number | null): HostTable {
    const hosts = new HostTable();
    hosts.append('a.test', 'a.test', budget, false, 1_000);
    return hosts;
  }

  test('is spent by exactly as many URLs, and full again after 30 days', () => {
    const hosts = budgeted(3);
    for (let i = 0; i < 3; i++) {
      expect(mayAdmit(hosts, 0, 2_000)).toBe(true);
      expect(fetchAllowedAt(hosts, 0, 2_000)).toBe(0);
      hosts.admitted[0]++;
      hosts.fetched[0]++;
    }
    expect(mayAdmit(hosts, 0, 2_000)).toBe(false);
    expect(fetchAllowedAt(hosts, 0, 2_000)).toBe(1_000 + PERIOD);
    expect(mayAdmit(hosts, 0, 999 + PERIOD)).toBe(false);
    expect(fetchAllowedAt(hosts, 0, 1_000 + PERIOD)).toBe(0);
    expect(mayAdmit(hosts, 0, 1_000 + PERIOD)).toBe(true);
  });

  test('is full again at the same times whether anybody looked in between or not', () => {
    const looked = budgeted(1);
    const asleep = budgeted(1);
    for (const hosts of [looked, asleep]) hosts.budgetPeriod = 10_000;
    for (let now = 1_000; now < 35_500; now += 700) fetchAllowedAt(looked, 0, now);
    for (const hosts of [looked, asleep]) {
      expect(fetchAllowedAt(hosts, 0, 35_500)).toBe(0);
      hosts.fetched[0]++;
      expect(fetchAllowedAt(hosts, 0, 40_999)).toBe(41_000);
      expect(fetchAllowedAt(hosts, 0, 41_000)).toBe(0);
    }
  });

  test('of null is none', () => {
    const hosts = budgeted(null);
    hosts.admitted[0] = hosts.fetched[0] = 4_000_000_000;
    expect([mayAdmit(hosts, 0, 0), fetchAllowedAt(hosts, 0, 0)]).toEqual([true, 0]);
  });
});

describe('retries', () => {
  const LADDER = [30_000, 120_000, 300_000, 900_000];

  test('wait 30 s, 2, 5 and 15 min; the fifth failure is the last, with its whole history', () => {
    const retries = new RetryQueue(LADDER);
    let now = 0;
    for (let attempt = 1; attempt <= 4; attempt++) {
      retries.remember(7, { at: now, code: 'http.server', status: 500 });
      expect(retries.again(7, attempt, now)).toBe(true);
      expect(retries.due(now + LADDER[attempt - 1] - 1)).toBe(-1);
      now += LADDER[attempt - 1];
      expect(retries.due(now)).toBe(7);
    }
    retries.remember(7, { at: now, code: 'read.reset', status: 0 });
    expect(retries.again(7, 5, now)).toBe(false);
    expect(retries.size).toBe(0);
    expect(retries.forget(7).map(({ at }) => at)).toEqual([0, 30_000, 150_000, 450_000, 1_350_000]);
    expect(retries.forget(7)).toEqual([]);
  });

  test('come back by their due times whatever their order', () => {
    const retries = new RetryQueue(LADDER);
    for (const [url, due] of [
      [1, 30],
      [2, 10],
      [3, 20],
    ])
      retries.wait(url, due);
    expect([retries.time, retries.due(30), retries.due(30), retries.due(30), retries.due(30)]).toEqual([
      10, 2, 3, 1, -1,
    ]);
  });

  test('are due by the same ladder when they are read back', () => {
    const retries = new RetryQueue(LADDER);
    expect([0, 1, 2, 4, 9].map((attempts) => retries.dueAfter(attempts, 1_000))).toEqual([
      0, 31_000, 121_000, 901_000, 901_000,
    ]);
  });
});

describe('the gate of robots', () => {
  const forbidding = { allows: (url: string) => !url.includes('/private') };

  test('asks for the file first, stays shut while it is on its way, and opens by the verdict until that ends', () => {
    const gate = new RobotsGate();
    const origin = gate.of('http://a.test', 0);
    expect(gate.gate(origin, 5)).toBe('fetch');
    origin.busy = true;
    expect(gate.gate(origin, 5)).toBe('wait');
    origin.busy = false;
    origin.state = { verdict: 'rules', rules: forbidding, until: 10 };
    expect([gate.gate(origin, 9), gate.gate(origin, 10)]).toEqual(['open', 'fetch']);
    origin.state = { verdict: 'deny', rules: null, until: 10 };
    expect([gate.gate(origin, 9), gate.gate(origin, 10)]).toEqual(['wait', 'fetch']);
  });

  test('never allows without a verdict that does', () => {
    const gate = new RobotsGate();
    const origin = gate.of('http://a.test', 0);
    const url = 'http://a.test/private/x';
    expect(gate.allows(origin, url)).toBe(false);
    origin.state = { verdict: 'deny', rules: forbidding, until: 10 };
    expect(gate.allows(origin, 'http://a.test/')).toBe(false);
    origin.state = { verdict: 'rules', rules: forbidding, until: 10 };
    expect([gate.allows(origin, url), gate.allows(origin, 'http://a.test/')]).toEqual([false, true]);
    origin.state = { verdict: 'allow', rules: null, until: 10 };
    expect(gate.allows(origin, url)).toBe(true);
  });

  test('knows an origin by scheme, host and port, and a host by its slowest origin', () => {
    const gate = new RobotsGate();
    const names = ['http://a.test/x', 'https://a.test/', 'http://a.test:8080/?q', 'http://a.test/y'].map(
      RobotsGate.nameOf,
    );
    expect(names).toEqual(['http://a.test', 'https://a.test', 'http://a.test:8080', 'http://a.test']);
    names.forEach((name, i) => {
      gate.of(name, 0).crawlDelay = i * 1_000;
    });
    expect(gate.originsOf(0)).toBe(3);
    expect(gate.crawlDelayOf(0)).toBe(3_000);
    expect(gate.crawlDelayOf(1)).toBe(0);
  });
});
