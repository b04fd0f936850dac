/**
 * Front queues: five levels of hosts that want a back queue. A host waits at the level of its best pending URL; a free
 * back queue draws a level by weight (16:8:4:2:1, so that low levels still run) and takes that level's oldest host.
 * Doubly linked through the host table: moving a host is O(1).
 */
import type { Random } from '../engines/ports.js';
import { HostState, type HostTable } from './host-table.js';
import { LEVELS, NONE } from './url-table.js';

const WEIGHTS = [16, 8, 4, 2, 1] as const;

/** Draws one of the levels whose bit is set in `mask`, by weight; -1 if there is none. */
export function drawLevel(mask: number, random: Random): number {
  if (mask === 0) return -1;
  let total = 0;
  for (let level = 0; level < LEVELS; level++) if (mask & (1 << level)) total += WEIGHTS[level];
  let drawn = random.next() * total;
  for (let level = 0; level < LEVELS; level++) {
    if (!(mask & (1 << level))) continue;
    drawn -= WEIGHTS[level];
    if (drawn < 0) return level;
  }
  return 31 - Math.clz32(mask); // only if rounding ate the last share
}

/** The best (lowest) level of a non-empty mask. */
export const bestLevel = (mask: number): number => 31 - Math.clz32(mask & -mask);

export class FrontQueues {
  readonly #hosts: HostTable;
  readonly #random: Random;
  readonly #heads = new Uint32Array(LEVELS).fill(NONE);
  readonly #tails = new Uint32Array(LEVELS).fill(NONE);
  readonly lengths = new Uint32Array(LEVELS);
  #mask = 0;

  constructor(hosts: HostTable, random: Random) {
    this.#hosts = hosts;
    this.#random = random;
  }

  get size(): number {
    let sum = 0;
    for (const length of this.lengths) sum += length;
    return sum;
  }

  /** Puts a host at the end of a level, or at its head (it had its turn and only waited for an answer). */
  put(host: number, level: number, atHead = false): void {
    const hosts = this.#hosts;
    hosts.state[host] = HostState.front;
    hosts.frontLevel[host] = level;
    const neighbour = atHead ? this.#heads[level] : this.#tails[level];
    hosts.frontPrevious[host] = atHead ? NONE : neighbour;
    hosts.frontNext[host] = atHead ? neighbour : NONE;
    if (neighbour === NONE) {
      this.#heads[level] = host;
      this.#tails[level] = host;
    } else if (atHead) {
      hosts.frontPrevious[neighbour] = host;
      this.#heads[level] = host;
    } else {
      hosts.frontNext[neighbour] = host;
      this.#tails[level] = host;
    }
    this.lengths[level]++;
    this.#mask |= 1 << level;
  }

  /** Takes a host out of its front queue; its state is the caller's to set. */
  remove(host: number): void {
    const hosts = this.#hosts;
    const level = hosts.frontLevel[host];
    const previous = hosts.frontPrevious[host];
    const next = hosts.frontNext[host];
    if (previous === NONE) this.#heads[level] = next;
    else hosts.frontNext[previous] = next;
    if (next === NONE) this.#tails[level] = previous;
    else hosts.frontPrevious[next] = previous;
    if (--this.lengths[level] === 0) this.#mask &= ~(1 << level);
  }

  /** Moves a waiting host up when a better URL came for it. */
  raise(host: number, level: number): void {
    if (level >= this.#hosts.frontLevel[host]) return;
    this.remove(host);
    this.put(host, level);
  }

  /** The next host to get a back queue, taken out of its queue, or -1. */
  take(): number {
    const level = drawLevel(this.#mask, this.#random);
    if (level < 0) return -1;
    const host = this.#heads[level];
    this.remove(host);
    return host;
  }
}
