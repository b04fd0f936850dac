/** The page workers of a simulated process: they make requests to the model web, report what came of it (late, twice, out
 * of order), and die. */
import type { OutcomeCode } from '../errors.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease } from '../frontier/lease.js';
import { type LeaseReport, NOTHING_BROUGHT, type RedirectTarget } from '../frontier/report.js';
import { LinkPacker, type PackedLinks } from '../url/packed-links.js';
import { type ModelAnswer, rulesAt } from './model-web.js';
import { type Lesson, type RobotsLesson, Violation } from './simulation-oracle.js';
import type { World } from './simulation-world.js';

/** What a worker sends, and what the oracle may assume that the crawler knows once it has come. */
export interface Delivery {
  report: LeaseReport;
  links: PackedLinks;
  /** Number of the request at the oracle, -1 if none was made. */
  request: number;
  lesson: Lesson;
}

/** The process that the workers belong to. */
export interface Employer {
  readonly frontier: Frontier;
  readonly isAlive: boolean;
  /** The loop's clock, ms. */
  now(): number;
  receive(delivery: Delivery): void;
}

interface Order {
  lease: Lease;
  /** Request at the oracle, -1 until it is made. */
  request: number;
  origin: string;
}

interface Worker {
  /** Leases that are out at it. */
  out: Map<number, Order>;
  /** It died and nobody has noticed. */
  isDead: boolean;
}

const NO_LINKS: PackedLinks = { words: new Uint32Array(0), text: new Uint8Array(0) };
/** Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2). */
const ROBOTS_REDIRECTS = 5;
const GREEDY = 3_600_000;

export class VirtualWorkers {
  readonly #world: World;
  readonly #process: Employer;
  readonly #workers: Worker[];
  /** The one of pages that killed another. */
  readonly #quarantine: Worker = { out: new Map(), isDead: false };
  readonly #packer = new LinkPacker();

  constructor(world: World, process: Employer) {
    this.#world = world;
    this.#process = process;
    const count = world.settings.frontier.workers;
    this.#workers = Array.from({ length: count }, () => ({ out: new Map(), isDead: false }));
  }

  room(): Int32Array {
    return Int32Array.from(this.#workers, ({ out }) => Math.max(this.#world.settings.room - out.size, 0));
  }

  submit(leases: readonly Lease[]): void {
    const { faults } = this.#world;
    for (const lease of leases) {
      const worker = this.#workerOf(lease);
      const order = { lease, request: -1, origin: this.#process.frontier.robots.origins[lease.origin].name };
      worker.out.set(lease.id, order);
      this.#later(faults.wait(40), () => {
        if (!worker.isDead && worker.out.get(lease.id) === order) this.#begin(worker, order);
      });
      if (!worker.isDead && faults.strikes('worker.death', 0.03)) this.#die(worker);
    }
  }

  #workerOf(lease: Lease): Worker {
    if (!lease.alone) return this.#workers[lease.worker];
    // the next spelling of a page goes on whoever is there
    if (lease.redirects === 0 && this.#quarantine.out.size > 0) throw new Violation('two pages are alone at once');
    return this.#quarantine;
  }

  #later(ms: number, run: () => void): void {
    this.#world.time.after(ms, () => {
      if (this.#process.isAlive) run();
    });
  }

  #begin(worker: Worker, order: Order): void {
    const { oracle, web, time } = this.#world;
    const { lease } = order;
    const host = this.#process.frontier.hosts.names[lease.host];
    order.request = oracle.begin(host, lease.connectTo);
    if (lease.kind !== 'robots') this.#world.pageBegins(lease.target, host);
    const begun = time.now;
    const answer = web.answer(lease.target, lease.connectTo, lease.cookie, begun);
    const started = this.#process.now();
    this.#later(answer.ms, () => {
      if (worker.isDead) return; // cut off when it died
      oracle.end(order.request);
      this.#report(worker, order, answer, started, begun);
    });
  }

  #report(worker: Worker, order: Order, answer: ModelAnswer, started: number, begun: number): void {
    const { faults } = this.#world;
    const delivery = this.#deliveryOf(order, answer, started, begun);
    const late = faults.strikes('report.late', 0.15) ? faults.below(8_000) : 0;
    const send = (): void => {
      if (!this.#process.frontier.leases.has(order.lease.id)) faults.count('report.of-a-returned-lease');
      worker.out.delete(order.lease.id);
      if (order.request < this.#lastReported) faults.count('report.reordered');
      this.#lastReported = Math.max(this.#lastReported, order.request);
      this.#process.receive(delivery);
    };
    this.#later(faults.wait(30) + late, send);
    if (late > 0 && !worker.isDead && faults.strikes('worker.death', 0.1)) this.#die(worker); // its report is on the way
    if (faults.strikes('report.doubled', 0.1)) {
      this.#later(late + 31 + faults.below(2_000), () => this.#process.receive(delivery));
    }
  }

  #lastReported = -1;

  #deliveryOf({ lease, request, origin }: Order, answer: ModelAnswer, started: number, begun: number): Delivery {
    const ended = this.#process.now();
    const report = blank(lease, answer.code, started, ended);
    report.status = answer.status;
    report.retryAfterMs = answer.retryAfterMs;
    report.bytes = answer.body?.length ?? 0;
    if (answer.location !== null) report.redirect = this.#redirect(answer, lease);
    if (lease.kind === 'robots') report.robots = answer.body === null ? null : Buffer.from(answer.body);
    else if (answer.status > 0) report.page = pageOf(answer);
    let links = NO_LINKS;
    if (lease.kind !== 'robots' && answer.code === 'ok') {
      links = this.#pack(answer.links, lease.target);
      report.to = links.words.length / 4;
    }
    const robots = lease.kind === 'robots' ? this.#robotsLesson(lease, answer, origin, begun) : null;
    return { report, links, request, lesson: lessonOf(this.#process, lease, request, origin, answer, robots) };
  }

  #robotsLesson(lease: Lease, answer: ModelAnswer, origin: string, begun: number): RobotsLesson | null {
    if (answer.code === 'ok') {
      const { hostname, host: site } = new URL(origin);
      const rules = rulesAt(this.#world.web.find(hostname)!, site, begun);
      if (rules.crawlDelay > GREEDY) return { says: 'rules', disallow: ['/'], crawlDelay: 0 };
      return { says: 'rules', ...rules };
    }
    if (answer.code === 'redirect') return lease.redirects < ROBOTS_REDIRECTS ? null : { says: 'allow' };
    return { says: answer.code === 'http.gone' ? 'allow' : 'failure' };
  }

  #redirect(answer: ModelAnswer, lease: Lease): RedirectTarget | null {
    const keyed = this.#world.keyed(answer.location!, lease.target);
    if (keyed === null) return null;
    const { keyHi, keyLo, to } = keyed;
    const cookie = answer.setsCookie && to.fetch === lease.target ? 'met=1' : null;
    return { keyHi, keyLo, to, inScope: true, trap: null, cookie };
  }

  #pack(links: readonly string[], base: string): PackedLinks {
    for (const link of links) {
      const keyed = this.#world.keyed(link, base);
      if (keyed !== null) this.#packer.add(keyed.keyHi, keyed.keyLo, keyed.url);
    }
    return this.#packer.take();
  }

  /** The worker's thread ends; somebody notices after a while. Its leases return, one of them is blamed. */
  #die(worker: Worker): void {
    const { oracle, faults } = this.#world;
    worker.isDead = true;
    for (const { request } of worker.out.values()) if (request >= 0) oracle.end(request);
    this.#later(faults.below(10_000), () => {
      worker.isDead = false;
      const orders = [...worker.out.values()];
      worker.out.clear();
      const culprit = orders.find(({ request, lease }) => request >= 0 && lease.kind === 'page');
      const code = worker === this.#quarantine ? 'worker.crash-alone' : 'worker.crash';
      for (const order of orders) this.#giveUp(order, order === culprit ? code : 'lease.returned');
    });
  }

  #giveUp({ lease, request, origin }: Order, code: OutcomeCode): void {
    this.#world.faults.count('lease.returned');
    const now = this.#process.now();
    const answer = { code, retryAfterMs: null, ms: 0 };
    const lesson = lessonOf(this.#process, lease, request, origin, answer, null);
    this.#process.receive({ report: blank(lease, code, now, now), links: NO_LINKS, request, lesson });
  }
}

function lessonOf(
  process: Employer,
  lease: Lease,
  request: number,
  origin: string,
  { code, retryAfterMs, ms }: Pick<ModelAnswer, 'code' | 'retryAfterMs' | 'ms'>,
  robots: RobotsLesson | null,
): Lesson {
  return { request, host: process.frontier.hosts.names[lease.host], origin, code, ms, retryAfterMs, robots };
}

function blank(lease: Lease, code: OutcomeCode, started: number, ended: number): LeaseReport {
  return {
    ...{ lease: lease.id, code, status: 0, started, ended, retryAfterMs: null, bytes: 0, truncated: false },
    ...NOTHING_BROUGHT,
  };
}

function pageOf(answer: ModelAnswer): NonNullable<LeaseReport['page']> {
  return {
    ...{ contentType: 'text/html', charset: 'utf-8', language: '', title: '', payloadDigest: null, simhash: null },
    contentHash: answer.body === null ? null : contentHash(answer.body),
    ...{ etag: null, lastModified: null, text: null, index: true, links: answer.links.length },
    ...{ aiPreferences: null, parser: 1, fields: null, duplicateOf: -1, near: false },
  };
}

/** 32 bytes that stand for a content: two lanes of FNV-1a. */
function contentHash(content: string): Uint8Array {
  const hash = Buffer.alloc(32);
  for (const [at, basis] of [
    [0, 0x811c9dc5],
    [4, 0x1234567],
  ] as const) {
    let lane: number = basis;
    for (let i = 0; i < content.length; i++) lane = Math.imul(lane ^ content.charCodeAt(i), 0x01000193);
    hash.writeInt32BE(lane | 0, at);
  }
  return hash;
}
