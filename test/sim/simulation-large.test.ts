/** The large simulation in small: it keeps its promises, sees what is broken, and does the same again for the same seed. */
import { describe, expect, test } from 'vitest';
import { Frontier } from '../../src/frontier/frontier.js';
import { HostState } from '../../src/frontier/host-table.js';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { type LargeReport, simulateLarge } from '../../src/sim/simulation-large.js';
import { LargeAddresses } from '../../src/sim/simulation-large-addresses.js';
import { LargeWeb } from '../../src/sim/simulation-large-web.js';
import type { LargeOptions } from '../../src/sim/simulation-large-world.js';
import { FRONTIER } from '../support/decisions.js';

const HOUR = 3_600_000;

const options = (
  seed: number,
  other: Partial<LargeOptions> = {},
  frontier: Partial<FrontierOptions> = {},
): LargeOptions => ({
  web: { seed, hosts: 120, pages: 60, sizes: 'spread', locality: 0.8, errors: 0.05, shared: 0.5, latency: 300 },
  frontier: { ...FRONTIER, quantumFetches: 8, workers: 2, isCdn: (address) => address.startsWith('104.'), ...frontier },
  ...{ uncleanOwe: 10_000, budget: 100, rate: 20, slots: 64, duration: 0.25 * HOUR, faults: true, crashes: 2 },
  ...other,
});

type Alter = (frontier: Frontier) => void;
const altered = (alter: Alter): Partial<LargeOptions> => ({
  makeFrontier: (settings, random) => {
    const frontier = new Frontier(settings, random);
    alter(frontier);
    return frontier;
  },
});

/** Everything but how long it took. */
const events = ({ realTime: _, ...report }: LargeReport) => report;

const MUTANTS: readonly [name: string, broken: Partial<LargeOptions>, sentence: RegExp][] = [
  [
    'owes nothing after a restart',
    altered((frontier) => {
      const restored = frontier.restored.bind(frontier);
      frontier.restored = (dueAt, now) => {
        frontier.hosts.nextAt.fill(0);
        frontier.hosts.restUntil.fill(0);
        frontier.newcomersWait(0, 0);
        for (let address = 0; address < frontier.addresses.size; address++) frontier.addresses.reset(address, 0);
        restored(dueAt, now);
      };
    }),
    /too early/,
  ],
  [
    'ignores the clocks of addresses',
    altered(({ addresses }) => {
      addresses.nextAt = () => 0;
    }),
    /address \d+ is asked/,
  ],
  [
    'ignores that an address is taken',
    altered(({ addresses }) => {
      addresses.isPlaceFree = () => true;
    }),
    /address \d+ has \d leases at once|at once at a CDN/,
  ],
  [
    'loses a retry',
    altered(({ retries }) => {
      const wait = retries.wait.bind(retries);
      let count = 0;
      retries.wait = (url, due) => {
        if (++count % 8 !== 0) wait(url, due);
      };
    }),
    /pending URLs are in no list/,
  ],
  [
    'takes budgets for one more than they are',
    altered((frontier) => {
      const addHost = frontier.addHost.bind(frontier);
      frontier.addHost = (name, domain, budget, named, now) => addHost(name, domain, budget! + 1, named, now);
    }),
    /on a budget of/,
  ],
  [
    'never lets level 3 have a back queue',
    altered(({ front, hosts }) => {
      const put = front.put.bind(front);
      front.put = (host, level, atHead) => {
        if (level < 3) put(host, level, atHead);
        else hosts.state[host] = HostState.idle;
      };
    }),
    /has URLs and stands nowhere/,
  ],
  [
    'takes the youngest host of a level',
    altered(({ front }) => {
      const put = front.put.bind(front);
      front.put = (host, level) => put(host, level, true);
    }),
    /is taken after one that came later/,
  ],
  [
    'goes back to what is done',
    altered((frontier) => {
      const done = frontier.done.bind(frontier);
      frontier.done = (...args) => {
        const settled = done(...args);
        if (settled.url === 'done' && args[0].id % 8 === 5) frontier.urls.setState(args[0].url, 0);
        return settled;
      };
    }),
    /pending URLs are in no list|is in state/,
  ],
  [
    'always draws the best level',
    { makeFrontier: (settings) => new Frontier(settings, { next: () => 0 }), crashes: 0, duration: 0.5 * HOUR },
    /level \d starves/,
  ],
];

describe('the large simulation', { timeout: 60_000 }, () => {
  test.each([1, 2, 3, 4])('keeps every promise through crashes and faults (seed %i)', async (seed) => {
    const sizes = (['spread', 'equal', 'giant'] as const)[seed % 3];
    const { web } = options(seed);
    const report = await simulateLarge(
      options(seed, { web: { ...web, sizes } }, { key: seed === 4 ? 'ip' : 'host+ip' }),
    );
    expect(report.violation).toBeNull();
    expect(report.pages).toBeGreaterThan(500);
    expect(report.lives).toBeGreaterThan(1);
    expect(report.faults['crash.before-commit'] + report.faults['crash.after-commit']).toBe(report.lives - 1);
    for (const fault of ['report.late', 'report.doubled', 'commit.acknowledgement-lost', 'texts.late'] as const) {
      expect(report.faults[fault]).toBeGreaterThan(0);
    }
  });

  test('does the same for the same seed, and something else for another', async () => {
    const [first, again, other] = [
      await simulateLarge(options(7)),
      await simulateLarge(options(7)),
      await simulateLarge(options(8)),
    ];
    expect(events(again)).toEqual(events(first));
    expect(other.requests).not.toBe(first.requests);
  });

  test.each(MUTANTS)('catches a frontier that %s', async (_, broken, sentence) => {
    let seed = 0;
    let violation: string | null = null;
    while (violation === null && ++seed <= 8) ({ violation } = await simulateLarge(options(seed, broken)));
    expect(violation).toMatch(sentence);
    expect((await simulateLarge(options(seed, broken))).violation).toBe(violation);
  });
});

test.each([
  [17, 2],
  [16, 1],
])(
  'an address that answered for %i hosts, one of which came from elsewhere, may have %i requests at once',
  (hosts, most) => {
    const { web, frontier, uncleanOwe } = options(1);
    const rules = { ...frontier, ...frontier.rules, uncleanOwe, budget: 100, isCdn: () => false };
    const addresses = new LargeAddresses(new LargeWeb(web), rules);
    const [before, address] = [50, 51];
    addresses.delivered(0, before, 'ok');
    for (let host = 0; host < hosts; host++) addresses.delivered(host, address, 'ok');
    for (let host = 0; host < most; host++) addresses.begin(host, address, HOUR);
    expect(() => addresses.begin(most, address, HOUR)).toThrow(`address ${address} has ${most + 1} leases at once`);
  },
);
