/** Does the simulation see what it should see? Each mutant breaks one promise of the frontier; a seed of the suite must
 * catch it, say what is wrong, and say it again. */
import { describe, expect, test } from 'vitest';
import { Frontier } from '../../src/frontier/frontier.js';
import { DENIED_LIST } from '../../src/frontier/host-table.js';
import type { FrontierOptions } from '../../src/frontier/lease.js';
import { TimeHeap } from '../../src/frontier/time-heap.js';
import { NONE, UrlState } from '../../src/frontier/url-table.js';
import { simulate } from '../../src/sim/simulation.js';
import { REAL_PARTS, type SimulatedParts } from '../../src/sim/simulation-world.js';

const SIZE = { hosts: 10, pages: 20, crashes: 8 };
/** The seeds of the suite (`simulation.test.ts`). */
const SEEDS = 100;

type FrontierClass = new (...args: ConstructorParameters<typeof Frontier>) => Frontier;

const broken = (Broken: FrontierClass): SimulatedParts => ({
  ...REAL_PARTS,
  frontier: (options, random) => new Broken(options, random),
});

/** Changes a frontier after it was made. */
const altered = (alter: (frontier: Frontier) => void): SimulatedParts => ({
  ...REAL_PARTS,
  frontier: (options, random) => {
    const frontier = new Frontier(options, random);
    alter(frontier);
    return frontier;
  },
});

/** Changes memory after it was rebuilt. */
const forgetful = (forget: (frontier: Frontier) => void): SimulatedParts => ({
  ...REAL_PARTS,
  rebuild: (reader, parts, stop, now, changes) => {
    const rebuilt = REAL_PARTS.rebuild(reader, parts, stop, now, changes);
    forget(parts.frontier);
    return rebuilt;
  },
});

class OverlyGenerous extends Frontier {
  override next(...args: Parameters<Frontier['next']>): ReturnType<Frontier['next']> {
    const turn = super.next(...args);
    const [lease] = turn.leases;
    if (lease === undefined || lease.id % 16 !== 3) return turn;
    const twin = { ...lease, id: lease.id + 1_000_000 };
    (this.leases as Map<number, typeof lease>).set(twin.id, twin);
    return { ...turn, leases: [...turn.leases, twin] };
  }
}

class Crowding extends Frontier {
  override next(...[now, room, allowance, changes]: Parameters<Frontier['next']>): ReturnType<Frontier['next']> {
    return super.next(
      now,
      room.map((n) => n + 1),
      allowance,
      changes,
    );
  }
}

class Lavish extends Frontier {
  override addHost(...[name, domain, budget, named, now]: Parameters<Frontier['addHost']>): number {
    return super.addHost(name, domain, budget === null ? null : budget + 1, named, now);
  }
}

class FailingOpen extends Frontier {
  override setRobots(...[origin, state, ...rest]: Parameters<Frontier['setRobots']>): void {
    super.setRobots(origin, state.verdict === 'deny' ? { ...state, verdict: 'allow' } : state, ...rest);
  }
}

class Impatient extends Frontier {
  override setRobots(...[origin, state, , ...rest]: Parameters<Frontier['setRobots']>): void {
    super.setRobots(origin, state, 0, ...rest);
  }
}

class Deaf extends Frontier {
  override done(...[lease, outcome, ...rest]: Parameters<Frontier['done']>): ReturnType<Frontier['done']> {
    return super.done(lease, { ...outcome, retryAfterMs: null }, ...rest);
  }
}

class Hasty extends Frontier {
  override done(...[lease, outcome, ...rest]: Parameters<Frontier['done']>): ReturnType<Frontier['done']> {
    return super.done(lease, { ...outcome, ended: outcome.started }, ...rest);
  }
}

class Repeating extends Frontier {
  override done(...args: Parameters<Frontier['done']>): ReturnType<Frontier['done']> {
    const settled = super.done(...args);
    const { url, id } = args[0];
    if (settled.url === 'done' && id % 8 === 5) this.urls.setState(url, UrlState.pending);
    return settled;
  }
}

/** A heap that gives the youngest of several entries of the same time. */
class LastInFirstOut extends TimeHeap {
  readonly #entries: { time: number; value: number; stamp: number }[] = [];
  override get size(): number {
    return this.#entries.length;
  }
  override get time(): number {
    return this.#entries[0]?.time ?? Number.POSITIVE_INFINITY;
  }
  override get value(): number {
    return this.#entries[0].value;
  }
  override get stamp(): number {
    return this.#entries[0].stamp;
  }
  override push(time: number, value: number, stamp = 0): void {
    const at = this.#entries.findIndex((entry) => entry.time >= time);
    this.#entries.splice(at < 0 ? this.#entries.length : at, 0, { time, value, stamp });
  }
  override pop(): void {
    this.#entries.shift();
  }
}

/** A frontier that goes by other options than the world's. */
const deviating = (own: Partial<FrontierOptions>): SimulatedParts => ({
  ...REAL_PARTS,
  frontier: (options, random) => new Frontier({ ...options, ...own }, random),
});

const FOREVER = Number.POSITIVE_INFINITY;

const MUTANTS: readonly [name: string, parts: SimulatedParts, sentence: RegExp][] = [
  [
    'owes nothing after a restart',
    forgetful(({ hosts, addresses }) => {
      hosts.nextAt.fill(0);
      hosts.newcomersAt = 0;
      for (let address = 0; address < addresses.size; address++) addresses.reset(address, 0);
    }),
    /it is owed|too early after an unclean stop/,
  ],
  [
    'takes every stop for a clean one',
    {
      ...REAL_PARTS,
      rebuild: (reader, parts, _stop, now, changes) =>
        REAL_PARTS.rebuild(reader, parts, { clean: true, leases: [] }, now, changes),
    },
    /it is owed|too early after an unclean stop/,
  ],
  [
    'forgets what hosts were that are met again after a crash',
    forgetful(({ hosts, addresses }) => {
      hosts.newcomersAt = 0;
      addresses.newcomersAt = 0;
    }),
    /too early after an unclean stop|it is owed/,
  ],
  [
    'ignores the clocks of addresses',
    altered(({ addresses }) => {
      addresses.nextAt = () => 0;
    }),
    /address \S+ is asked/,
  ],
  [
    'ignores that an address is taken',
    altered(({ addresses }) => {
      addresses.isPlaceFree = () => true;
    }),
    /address \S+ has 2 leases at once/,
  ],
  [
    'lets every address that answered have three requests at once',
    altered(({ addresses }) => {
      const setPlaces = addresses.setPlaces.bind(addresses);
      addresses.setPlaces = (id) => setPlaces(id, 3);
    }),
    /address \S+ (?:has \d leases at once|is asked)|at once on address/,
  ],
  [
    'does not count the requests of a domain at CDNs',
    altered(({ addresses }) => {
      const internDomain = addresses.internDomain.bind(addresses);
      addresses.internDomain = (domain) => internDomain(domain, 200);
    }),
    /requests at once on the domain of/,
  ],
  ['gives a lease twice', broken(OverlyGenerous), /two leases at once|more leases than it has room/],
  [
    'asks at once for a name whose failure is remembered',
    altered((frontier) => {
      const resolved = frontier.resolved.bind(frontier);
      frontier.resolved = (host, resolution, now, changes) =>
        resolved(host, 'code' in resolution ? { ...resolution, until: now } : resolution, now, changes);
    }),
    /charged twice for one failed look-up/,
  ],
  ['gives a worker more than it has room for', broken(Crowding), /more leases than it has room for/],
  [
    'loses a retry',
    altered(({ retries }) => {
      const wait = retries.wait.bind(retries);
      let count = 0;
      retries.wait = (url, due) => {
        if (++count % 8 !== 0) wait(url, due);
      };
    }),
    /pending URLs are in no list|ends in state 0/,
  ],
  ['takes budgets for one more than they are', broken(Lavish), /on a budget of/],
  [
    'never lets level 4 have a back queue',
    altered(({ front, hosts }) => {
      const put = front.put.bind(front);
      front.put = (host, level, atHead) => {
        if (level < 4) put(host, level, atHead);
        else hosts.state[host] = 0;
      };
    }),
    /stands nowhere/,
  ],
  [
    'breaks ties of the ready heap the wrong way',
    altered(({ back }) => {
      for (let worker = 0; worker < back.ready.length; worker++) back.ready[worker] = new LastInFirstOut();
    }),
    /the ready heap gives host/,
  ],
  [
    'forgets penalties over a restart',
    forgetful(({ hosts }) => hosts.penalty.fill(0)),
    /it is owed|changes penalty of host/,
  ],
  [
    'forgets how often a host has throttled it',
    forgetful(({ hosts }) => hosts.throttles.fill(0)),
    /changes throttles of host/,
  ],
  [
    'leases what robots forbid',
    altered(({ robots }) => {
      robots.allows = () => true;
    }),
    /which robots forbid|although its robots\.txt could not be read/,
  ],
  ['opens its gate when robots.txt fails', broken(FailingOpen), /although its robots\.txt could not be read/],
  [
    'never asks robots.txt again',
    altered(({ robots }) => {
      const gate = robots.gate.bind(robots);
      robots.gate = (origin, now) =>
        gate(origin, origin.state?.verdict === 'rules' ? Math.min(now, origin.state.until - 1) : now);
    }),
    /is older than a day|could not be read/,
  ],
  ['ignores Crawl-delay', broken(Impatient), /it is owed|changes crawlDelay/],
  ['ignores Retry-After', broken(Deaf), /it is owed/],
  ['counts delays from the start of a request', broken(Hasty), /it is owed/],
  ['goes back to what is done', broken(Repeating), /is lost in state|pending URLs are in no list|ends in state 0/],
  [
    'never has a host yield its back queue',
    deviating({ quantumFetches: FOREVER, quantumTime: FOREVER }),
    /keeps its back queue after \d+ leases/,
  ],
  [
    'lets a host hold its back queue for any time',
    deviating({ quantumTime: FOREVER }),
    /keeps its back queue after \d+ leases/,
  ],
  ['lets hosts hold back queues while they rest', deviating({ sleepBeyond: FOREVER }), /holds a back queue for/],
  [
    'forgets a denied URL over a restart',
    forgetful(({ hosts }) => {
      for (let host = 0; host < hosts.size; host++) hosts.setHead(host, DENIED_LIST, NONE);
    }),
    /is lost in state 2/,
  ],
];

/** What the real frontier breaks at a seed, which several mutants ask for. */
const unbroken = new Map<number, string | null>();
function violationOfReal(seed: number): string | null {
  if (!unbroken.has(seed)) unbroken.set(seed, simulate({ ...SIZE, seed }).violation);
  return unbroken.get(seed) ?? null;
}

describe('the simulation', { timeout: 120_000 }, () => {
  test.each(MUTANTS)('catches a frontier that %s', (_, parts, sentence) => {
    let seed = 1;
    let report = simulate({ ...SIZE, seed, parts });
    while (report.violation === null && seed < SEEDS) report = simulate({ ...SIZE, seed: ++seed, parts });
    const { violation, trace } = report;
    expect(violation).toMatch(sentence);
    expect(simulate({ ...SIZE, seed, parts })).toMatchObject({ violation, trace });
    expect(violationOfReal(seed)).toBeNull();
  });
});
