/** The frontier's memory, shared by the parts that act on it: `placing.ts` (where a host stands), `address-turns.ts` (who
 * may use an address), `leasing.ts` (what goes out) and `settling.ts` (what comes back). No decisions here. */
import type { Changes } from '../changes.js';
import type { Random } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import { NO_REVISITS } from '../revisit/policy.js';
import { AddressTable } from './address-table.js';
import { type BackQueue, BackQueues } from './back-queues.js';
import { Blocks } from './blocks.js';
import { DroppedLetters } from './dropped-letters.js';
import { FrontQueues } from './front-queues.js';
import { HostQueues } from './host-queues.js';
import { HostTable } from './host-table.js';
import type { Errand, FrontierOptions, Lease } from './lease.js';
import { RetryQueue } from './retry-queue.js';
import { Revisits } from './revisits.js';
import { RobotsGate } from './robots-gate.js';
import { SharedAddresses } from './shared-addresses.js';
import { TimeHeap } from './time-heap.js';
import { UrlState, UrlTable } from './url-table.js';

export class FrontierState {
  readonly options: FrontierOptions;
  readonly urls = new UrlTable();
  readonly hosts = new HostTable();
  readonly addresses: AddressTable;
  readonly shared: SharedAddresses;
  readonly robots = new RobotsGate();
  readonly queues: HostQueues;
  readonly front: FrontQueues;
  readonly back: BackQueues;
  readonly retries: RetryQueue;
  readonly revisits: Revisits;
  /** Hosts that wait for a time of their own. */
  readonly sleeping = new TimeHeap();
  readonly blocks = new Blocks();
  readonly letters = new DroppedLetters(this.urls);
  /** Hosts with a back queue to which a place at their address is promised, by the time of its clock. */
  readonly promised = new TimeHeap();
  /** What is to be fetched of a host before anything of its lists. */
  readonly errands = new Map<number, Errand[]>();
  readonly leases = new Map<number, Lease>();
  /** Leases of pages that have a page worker for themselves. */
  alone = 0;
  /** Addresses, texts and rules that were asked for. */
  resolving = 0;
  loading = 0;
  loadingRules = 0;

  constructor(options: FrontierOptions, random: Random) {
    this.options = options;
    this.hosts.budgetPeriod = options.budgetPeriod;
    this.addresses = new AddressTable(options.isCdn);
    this.shared = new SharedAddresses(options.shared.from);
    this.revisits = new Revisits(this.urls, options.revisit ?? NO_REVISITS);
    const share = options.revisitShare ?? 0;
    this.queues = new HostQueues(this.hosts, this.urls, random, this.revisits, share);
    this.front = new FrontQueues(this.hosts, random);
    this.back = new BackQueues(options.backQueues, options.backQueuesMax, options.workers);
    this.retries = new RetryQueue(options.retries);
  }

  /** The back queue that a host holds, or null. */
  slotOf(host: number): BackQueue | null {
    const index = this.hosts.slot[host];
    return index === 0 ? null : this.back.slots[index - 1];
  }

  /** The URL is given up: a dead letter. */
  bury(url: number, code: OutcomeCode, now: number, changes: Changes): void {
    this.revisits.forget(url);
    this.urls.setState(url, UrlState.dead);
    changes.dead.push({ url, at: now, dead: true, code, history: this.retries.forget(url) });
  }

  hasWork(host: number): boolean {
    const slot = this.slotOf(host);
    return (
      this.hosts.levels[host] !== 0 ||
      this.errands.has(host) ||
      (slot !== null && (slot.at < slot.ahead.length || slot.loading !== null))
    );
  }
}
