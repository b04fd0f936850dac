/** Back queues, watched (DESIGN 4): who holds one for how long, and whether it may. Constant time a step. */
import type { Frontier } from '../frontier/frontier.js';
import type { FrontierOptions } from '../frontier/lease.js';
import { Violation } from './simulation-oracle.js';

type HoldRules = Pick<FrontierOptions, 'quantumFetches' | 'quantumTime' | 'sleepBeyond'>;

/** Counts for itself what each host does with its back queue, and throws a {@link Violation} where the host
 * - keeps it when its leases, or its time, are used up and others wait in front;
 * - is entered in the ready heap although it may not be asked for longer than a host may hold a back queue idle.
 *
 * @param rules those of the world, which a frontier under test may break
 * @param now of the frontier's clock, ms */
export function watchHolders(frontier: Frontier, rules: HoldRules, now: () => number): void {
  const { back, front, hosts } = frontier;
  /** Since when a host holds its back queue, and leases that ended since then. */
  const turns = new Map<number, { since: number; leases: number }>();
  const hold = back.hold.bind(back);
  back.hold = (host, at) => {
    turns.set(host, { since: at, leases: 0 });
    return hold(host, at);
  };
  const done = frontier.done.bind(frontier);
  frontier.done = (lease, outcome, keep, at, changes) => {
    const { host } = lease;
    const othersWait = front.size > 0; // nothing that ends a lease takes other hosts out of line
    const settled = done(lease, outcome, keep, at, changes);
    const turn = turns.get(host)!;
    turn.leases++;
    const held = at - turn.since;
    const isOver = turn.leases >= rules.quantumFetches || held >= rules.quantumTime;
    if (isOver && othersWait && hosts.slot[host] !== 0) {
      throw new Violation(`host ${host} keeps its back queue after ${turn.leases} leases in ${held} ms: others wait`);
    }
    return settled;
  };
  for (const heap of back.ready) {
    const push = heap.push.bind(heap);
    heap.push = (time, host, stamp) => {
      const idle = hosts.nextAt[host] - now();
      if (idle > rules.sleepBeyond) throw new Violation(`host ${host} holds a back queue for ${idle} ms to come`);
      push(time, host, stamp);
    };
  }
}
