/**
 * One life of a simulated crawler process: the real frontier, admission, robots desk, settlement and rebuild, wired as
 * in `embedded/open.ts` and pumped as in `crawl.ts`, on virtual time. What is simulated is what surrounds them: page
 * workers, resolver, disk and store, with their faults.
 */
import { Admission } from '../admit/admission.js';
import { Duplicates } from '../admit/duplicates.js';
import { RobotsDesk } from '../admit/robots-desk.js';
import { Settlement } from '../admit/settle.js';
import { type Batch, type Changes, countChanges, noChanges } from '../changes.js';
import { KeptPages } from '../dedupe/kept-pages.js';
import { SeenTable } from '../dedupe/seen.js';
import type { UrlText } from '../engines/ports.js';
import { seededRandom } from '../engines/system.js';
import type { Frontier } from '../frontier/frontier.js';
import { HostState } from '../frontier/host-table.js';
import type { Lease, LoadRequest } from '../frontier/lease.js';
import type { Origin } from '../frontier/robots-gate.js';
import { breadthFirst, type Score } from '../frontier/score.js';
import { entryOf, type OpenLease } from '../state/leases-file.js';
import type { LastStop } from '../state/rebuild.js';
import { Tally } from '../state/tally.js';
import { TextCache } from '../state/text-cache.js';
import type { ModelResolution } from './model-web.js';
import { Watch } from './simulation-checks.js';
import { Violation } from './simulation-oracle.js';
import { type Delivery, VirtualWorkers } from './simulation-workers.js';
import type { World } from './simulation-world.js';

/** Sends of a batch of unknown outcome. */
const SENDS = 3;
const PARTITIONS = 16;
/** Texts kept in memory: few, so that many are read back. */
const TEXTS = 64;
/** Turns in a row while texts keep arriving from memory. */
const MAX_TURNS = 64;
/** The resolver holds a failure for so long, ms. */
const REMEMBERED = 300_000;
type UnresolvedCode = Extract<ModelResolution, { code: unknown }>['code'];

export class Process {
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly tally = new Tally();
  readonly watch: Watch;
  readonly #world: World;
  readonly #offset: number;
  readonly #settlement: Settlement;
  readonly #robots: RobotsDesk;
  readonly #texts = new TextCache(TEXTS);
  readonly #workers: VirtualWorkers;
  readonly #stop: LastStop;
  /** What the resolver holds of failed look-ups, by host. */
  readonly #unresolved = new Map<number, { code: UnresolvedCode; until: number }>();
  #open: Changes = noChanges();
  #lessons = 0;
  #openedAt = Number.POSITIVE_INFINITY;
  #isCommitting = false;
  readonly #epoch: number;
  #sequence = 0;
  #settledLeases: OpenLease[] = [];
  #isAlive = true;
  #isStopping = false;
  #isFinished = false;
  #isSoon = false;
  #timer = 0;
  /** When something falls due, by the loop's clock. */
  #nextAt = 0;

  /** Starts: reads what the last life left. */
  constructor(world: World, offset: number) {
    this.#world = world;
    this.#offset = offset;
    const { settings, parts, store, leases } = world;
    const random = seededRandom(world.random.next() * 2 ** 32);
    this.#epoch = store.beginEpochNow();
    this.frontier = parts.frontier(settings.frontier, random);
    this.#stop = leases.read();
    const seen = new SeenTable();
    this.admission = new Admission(
      this.frontier,
      seen,
      {
        ...{ maxDepth: 1_000, maxHops: 10, hostsPerDomain: 1_000, partitions: PARTITIONS, isListed: null },
        budget: (host) => world.web.find(host)?.budget ?? null,
        score: world.seed % 2 === 0 ? breadthFirst : allLevels,
        tooManyQueries: () => false,
        onText: (text) => this.#texts.put(text),
      },
      () => false,
    );
    const duplicates = new Duplicates(new KeptPages(), this.frontier, this.admission, {
      ...{ exact: 'drop', near: 'demote', limits: { ratio: 0.8, window: 200 }, probe: () => null },
    });
    this.#robots = new RobotsDesk(this.frontier, this.admission, {
      agent: 'Saunter',
      times: settings.robots,
      crawlDelayCap: 3_600_000,
      memory: settings.rulesMemory,
      sitemap: (line, origin) => world.keyed(line, `${origin}/`),
      isInside: () => false,
    });
    this.#settlement = new Settlement({
      ...{
        frontier: this.frontier,
        admission: this.admission,
        duplicates,
        robots: this.#robots,
        ids: { requests: 0, visits: 0 },
      },
      options: { sameRedirects: 5, isInside: () => false, onSeedMoved: () => {} },
    });
    const rebuilt = parts.rebuild(
      store,
      {
        ...{ frontier: this.frontier, seen, tally: this.tally, random },
        delay: settings.frontier.rules.delay,
        uncleanOwe: settings.uncleanOwe,
        onRobots: (row) => this.#robots.restore(this.frontier.robots.of(row.origin, row.host), row),
        onVisit: (row) => duplicates.restore(row),
        onReparsed: () => {},
        onHostEvent: (row) => duplicates.restoreEvent(row),
        onSegment: (row) => this.#settlement.restoreSegment(row),
      },
      this.#stop,
      this.now(),
      this.#open,
    );
    this.#settlement.ids.requests = rebuilt.requests;
    this.#settlement.ids.visits = rebuilt.visits;
    world.faults.count('lease.lost', this.#open.requests.length);
    this.#settledLeases.push(...this.#stop.leases);
    this.#texts.committedBelow(this.frontier.urls.size);
    this.watch = new Watch(world, this.frontier, () => this.now());
    this.#workers = new VirtualWorkers(world, this);
    leases.take();
  }

  /** The first turn: the seeds, then the loop. */
  begin(): void {
    for (const seed of this.#world.web.seeds) {
      const keyed = this.#world.keyed(seed, undefined)!;
      const place = { kind: 'page', depth: 0, hops: 0, via: -1, level: 0, priority: null, seed: true } as const;
      this.admission.admit({ ...keyed, ...place }, false, this.now(), this.#open);
    }
    const { hosts } = this.frontier;
    for (let host = 0; host < hosts.size; host++) if (hosts.state[host] === HostState.off) this.#unblockLater(host);
    this.wake();
  }

  /** The operator blocks some host, for a while. */
  #maybeBlock(): void {
    const { faults } = this.#world;
    const { size } = this.frontier.hosts;
    if (size === 0 || this.#isStopping || !faults.strikes('operator.block', 0.01)) return;
    const host = faults.below(size);
    const until = faults.below(2) === 0 ? this.now() + faults.wait(600_000) : 0;
    const isNew = this.frontier.block(host, 'simulated', this.now(), this.#open, until);
    if (isNew && until === 0) this.#unblockLater(host);
    this.#world.note(`block ${host}`);
  }

  #unblockLater(host: number): void {
    this.#later(this.#world.faults.wait(600_000), () => {
      this.frontier.unblock(host, this.now(), this.#open);
      this.#world.note(`unblock ${host}`);
      this.wake();
    });
  }

  /** The loop's clock: wall time that only goes forward while the process lives. */
  now(): number {
    return this.#world.time.now + this.#offset;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Stopped cleanly, with everything committed. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Nothing is left to do, and nothing will fall due. */
  get isDone(): boolean {
    return this.frontier.underWay === 0 && this.#nextAt === Number.POSITIVE_INFINITY && !this.#hasOpen;
  }

  /** The process dies here and now. */
  kill(): void {
    this.#isAlive = false;
  }

  /** Nothing new is leased; what is out may end. */
  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  // -- the loop (crawl.ts) ------------------------------------------------------------------------------------------

  wake(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#later(0, () => {
      this.#isSoon = false;
      this.#pump();
    });
  }

  /** An event of this process: it does not happen if the process died before. */
  #later(ms: number, run: () => void): void {
    this.#world.time.after(ms, () => {
      if (this.#isAlive) run();
    });
  }

  #pump(): void {
    const now = this.now();
    if (this.#dueAt(now) <= now && !this.#isCommitting) this.#commit();
    if (!this.#isAlive) return;
    this.#maybeBlock();
    this.#nextAt = this.#isStopping ? Number.POSITIVE_INFINITY : this.#lease(now);
    this.watch.scan();
    if (this.#isStopping && this.frontier.leases.size === 0 && !this.#hasOpen) {
      this.#isFinished = true;
      return;
    }
    const at = Math.min(this.#nextAt, this.#isCommitting ? Number.POSITIVE_INFINITY : this.#dueAt(now));
    const timer = ++this.#timer;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#later(Math.max(at - now, 1), () => {
      if (timer === this.#timer) this.wake();
    });
  }

  #lease(now: number): number {
    for (let turns = 0; ; turns++) {
      const room = this.#workers.room();
      const turn = this.frontier.next(now, room, Number.POSITIVE_INFINITY, this.#open);
      this.watch.turn(turn, room);
      this.#world.leases.granted(turn.leases.map(entryOf));
      this.#workers.submit(turn.leases);
      for (const host of turn.resolve) this.#resolve(host);
      for (const origin of turn.rules) this.#loadRules(origin);
      let loadedNow = false;
      for (const request of turn.load) if (this.#load(request)) loadedNow = true;
      if (!loadedNow || turns === MAX_TURNS) return loadedNow ? now : turn.waitUntil;
    }
  }

  #resolve(host: number): void {
    const { web, faults, time } = this.#world;
    const held = this.#unresolved.get(host);
    const isHeld = held !== undefined && this.now() < held.until;
    const answer = isHeld ? { code: held.code, ms: 0 } : web.resolve(this.frontier.hosts.names[host], time.now);
    const slow = faults.strikes('resolver.slow', 0.2) ? faults.below(20_000) : 0;
    this.#later(('code' in answer ? answer.ms : faults.wait(50)) + slow, () => {
      const now = this.now();
      this.#world.note(`resolved ${host} ${'code' in answer ? answer.code : answer.addresses.join()}`);
      if ('code' in answer) this.#failedToResolve(host, answer.code, isHeld ? held.until : now + REMEMBERED, isHeld);
      else {
        const { addresses, ttlMs } = answer;
        this.frontier.resolved(host, { addresses, until: now + ttlMs }, now, this.#open);
      }
      this.wake();
    });
  }

  /** A failure that the resolver holds from an earlier look-up counts once. */
  #failedToResolve(host: number, code: UnresolvedCode, until: number, isHeld: boolean): void {
    this.#unresolved.set(host, { code, until });
    const isCounted = this.frontier.resolved(host, { code, words: code, until }, this.now(), this.#open);
    if (isCounted && isHeld) throw new Violation(`host ${host} is charged twice for one failed look-up`);
  }

  /** Rules are read again from their row. */
  #loadRules(origin: Origin): void {
    const { faults, store } = this.#world;
    const place = this.#robots.placeOf(origin);
    this.#world.note(`rules of ${origin.name}`);
    this.#later(faults.strikes('texts.late', 0.2) ? faults.below(5_000) : faults.wait(20), () => {
      const [{ body }] = store.at('robots', [place]);
      this.#robots.loaded(origin, place, body, this.now(), this.#open);
      this.wake();
    });
  }

  #load(request: LoadRequest): boolean {
    const { faults, store } = this.#world;
    const visits = request.urls.map((url) => this.frontier.revisits.lastVisit(url));
    const found = visits.every((visit) => visit < 0) ? this.#texts.takeAll(request.urls) : null;
    const isLate = faults.strikes('texts.late', 0.2);
    if (found !== null && !isLate) {
      this.frontier.loaded(request, found, this.now());
      return true;
    }
    const read = (id: number, visit: number): UrlText =>
      (visit < 0 ? this.#texts.takeAll([id])?.[0] : undefined) ?? store.readUrlsNow([id], [visit])[0];
    const texts = found ?? request.urls.map((id, i) => read(id, visits[i]));
    this.#later(isLate ? faults.below(5_000) : faults.wait(20), () => {
      this.frontier.loaded(request, texts, this.now());
      this.wake();
    });
    return false;
  }

  /** A report of a page worker. */
  receive({ report, links, request, lesson }: Delivery): void {
    const lease = this.frontier.leases.get(report.lease);
    if (lease === undefined) return;
    const { oracle } = this.#world;
    const urls = this.#open.urls.length;
    const visits = this.#open.visits.length;
    const end = this.#settlement.settle(lease, report, links, this.now(), this.#open);
    this.#world.note(`settled ${lease.target} ${report.code} ${end}`);
    this.watch.settled(lease, end, this.#open.visits.length > visits, this.#open.urls.slice(urls));
    if (request >= 0) {
      const isRefused = lesson.robots === null && this.#isRefused(lease, report);
      oracle.delivered(isRefused ? { ...lesson, robots: { says: 'failure' } } : lesson);
      this.#lessons++;
    }
    this.#settledLeases.push(entryOf(lease));
    this.wake();
  }

  /** Did a robots.txt redirect to where it is not followed, such as a host that is blocked? Then that is its answer. */
  #isRefused(lease: Lease, { code }: Delivery['report']): boolean {
    return lease.kind === 'robots' && code === 'redirect' && !this.frontier.robots.origins[lease.origin].busy;
  }

  // -- group commit (state/batches.ts) ------------------------------------------------------------------------------

  get #hasOpen(): boolean {
    return this.#isCommitting || countChanges(this.#open) > 0;
  }

  #dueAt(now: number): number {
    const count = countChanges(this.#open);
    if (count === 0) return Number.POSITIVE_INFINITY;
    if (this.#openedAt > now) this.#openedAt = now;
    const { time, changes } = this.#world.settings.batch;
    return count >= changes || this.#isStopping ? now : this.#openedAt + time;
  }

  #commit(): void {
    const changes = this.#open;
    const lessons = this.#lessons;
    const settled = this.#settledLeases;
    this.#open = noChanges();
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#lessons = 0;
    this.#settledLeases = [];
    this.#isCommitting = true;
    const batch = { epoch: this.#epoch, sequence: ++this.#sequence, changes };
    this.#send(batch, lessons, 1, () => {
      this.#isCommitting = false;
      this.#world.leases.settled(settled);
      this.tally.add(changes);
      this.#robots.committed(changes.robots.length);
      const newest = changes.urls.at(-1);
      if (newest !== undefined) this.#texts.committedBelow(newest.id + 1);
      this.wake();
    });
  }

  /** Sends a batch until it is acknowledged. */
  #send(batch: Batch, lessons: number, attempt: number, acknowledged: () => void): void {
    const { faults, store, oracle } = this.#world;
    const last = attempt === SENDS;
    this.#later(1 + faults.wait(80), () => {
      if (faults.ends('crash.before-commit', 0.01)) return this.#world.crash();
      if (!last && faults.strikes('commit.refused-once', 0.05))
        return this.#send(batch, lessons, attempt + 1, acknowledged);
      const answer = store.commitNow(batch);
      if (answer === 'committed') {
        oracle.committed(lessons);
        this.#world.committed(batch.changes, this.#offset);
      }
      this.#world.note(`commit ${batch.sequence} ${answer} ${countChanges(batch.changes)}`);
      if (faults.ends('crash.after-commit', 0.01)) return this.#world.crash();
      if (!last && faults.strikes('commit.acknowledgement-lost', 0.1)) {
        return this.#send(batch, lessons, attempt + 1, () => acknowledged());
      }
      this.#later(faults.wait(20), acknowledged);
    });
  }

  /** The end of a clean stop (`Crawl.#close`). */
  close(): void {
    if (this.#hasOpen) throw new Violation('a clean stop left something uncommitted');
    this.#world.leases.settled(this.#settledLeases);
    this.#world.leases.stop();
  }
}

/** So that level 4 is met as well. */
const allLevels: Score = ({ hostUrls }) => 1 + (hostUrls % 4);
