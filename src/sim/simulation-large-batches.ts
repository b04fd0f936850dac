/** Group commit in the large simulation, with what can go wrong on the way to the store and back (`state/batches.ts`,
 * `state/leases-file.ts`). */
import type { Lease } from '../frontier/lease.js';
import { entryOf, type OpenLease } from '../state/leases-file.js';
import type { LargeWorld } from './simulation-large-world.js';
import { Violation } from './simulation-oracle.js';

/** Age at which an open batch is committed, ms. */
const AGE = 200;
/** Sends of a batch of unknown outcome. */
const SENDS = 3;

export class LargeBatches {
  readonly #world: LargeWorld;
  /** Calls back after some ms. */
  readonly #after: (ms: number, event: 'commit' | 'committed') => void;
  #openedAt = Number.POSITIVE_INFINITY;
  #isCommitting = false;
  #isInStore = false;
  #sends = 0;
  /** `leases.open`, and leases that were settled since: in the open batch, and in the one that is on its way. */
  readonly #leases = new Map<number, Lease>();
  #settled: number[] = [];
  #settledOnTheWay: number[] = [];
  #diesNext = false;
  /** The process died here. */
  isDead = false;

  constructor(world: LargeWorld, after: (ms: number, event: 'commit' | 'committed') => void) {
    this.#world = world;
    this.#after = after;
  }

  /** When the open batch is to be committed, ms; Infinity if nothing is open, or another is on its way. */
  get dueAt(): number {
    return this.#isCommitting ? Number.POSITIVE_INFINITY : this.#openedAt + AGE;
  }

  /** Leases whose fate a start after this moment would not know. */
  get leases(): OpenLease[] {
    return Array.from(this.#leases.values(), entryOf);
  }

  granted(lease: Lease): void {
    this.#leases.set(lease.id, lease);
  }

  settled(lease: Lease): void {
    this.#settled.push(lease.id);
  }

  /** Rows were written. */
  opened(): void {
    if (this.#openedAt > this.#world.now) this.#openedAt = this.#world.now;
  }

  /** Sends the open batch on its way. */
  commit(): void {
    const { ledger, oracle } = this.#world;
    ledger.seal();
    oracle.seal();
    this.#settledOnTheWay = this.#settled;
    this.#settled = [];
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#isCommitting = true;
    this.#isInStore = false;
    this.#sends = 0;
    this.#send();
  }

  #send(): void {
    this.#sends++;
    this.#after(1 + this.#world.faults.wait(80), 'commit');
  }

  /** A batch reaches the store, perhaps again; its acknowledgement may be lost. */
  arrived(): void {
    const { ledger, oracle, faults } = this.#world;
    if (this.#diesNext && !this.#isInStore && faults.below(2) === 0) {
      this.#die('crash.before-commit');
      return;
    }
    const isLast = this.#sends === SENDS;
    if (!isLast && faults.strikes('commit.refused-once', 0.05)) {
      this.#send();
      return;
    }
    const answer = ledger.commit(this.#isInStore ? ledger.sequence : ledger.sequence + 1);
    if ((answer === 'already') !== this.#isInStore) throw new Violation('the store took a batch twice');
    if (!this.#isInStore) oracle.committed();
    this.#isInStore = true;
    if (this.#diesNext) this.#die('crash.after-commit');
    else if (!isLast && faults.strikes('commit.acknowledgement-lost', 0.1)) this.#send();
    else this.#after(faults.wait(20), 'committed');
  }

  acknowledged(): void {
    this.#isCommitting = false;
    for (const id of this.#settledOnTheWay) this.#leases.delete(id);
    this.#settledOnTheWay = [];
  }

  /** The process dies when its next batch reaches the store: before or after it is in. */
  dieNext(): void {
    this.#diesNext = true;
  }

  #die(fault: 'crash.before-commit' | 'crash.after-commit'): void {
    this.#world.faults.count(fault);
    this.isDead = true;
  }
}
