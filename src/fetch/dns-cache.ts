/**
 * Answers of the DNS, held for their time: a bounded map, the host used longest ago goes first.
 *
 * A host costs its name, its addresses as one short string, and 16 bytes in two flat arrays; with a million hosts no
 * objects for the collector to walk.
 */

export type NegativeCode = 'dns.nxdomain' | 'dns.timeout' | 'dns.failed';

export interface CachedAnswer {
  /** IPv4 first; empty for a negative answer. */
  readonly addresses: string[];
  /** Why there is no address; null if there is one. */
  readonly code: NegativeCode | null;
  /** Until when the answer holds, milliseconds. */
  readonly expiresAt: number;
  /** Until when its addresses may stand in while nobody answers, milliseconds. */
  readonly staleUntil: number;
}

export class DnsCache {
  readonly #capacity: number;
  /** Host to slot, in order of use: the first is the next to go. */
  readonly #slots = new Map<string, number>();
  /** Addresses joined by spaces, or `!` and the negative code. */
  readonly #packed: string[] = [];
  #expires: Float64Array = new Float64Array(1024);
  #stale: Float64Array = new Float64Array(1024);

  /** @param capacity hosts that are kept at most */
  constructor(capacity: number) {
    this.#capacity = Math.max(1, capacity);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The answer for `host`, however old, or null. */
  get(host: string): CachedAnswer | null {
    const slot = this.#slots.get(host);
    if (slot === undefined) return null;
    this.#slots.delete(host);
    this.#slots.set(host, slot);
    const packed = this.#packed[slot];
    const negative = packed[0] === '!';
    return {
      addresses: negative ? [] : packed.split(' '),
      code: negative ? (packed.slice(1) as NegativeCode) : null,
      expiresAt: this.#expires[slot],
      staleUntil: this.#stale[slot],
    };
  }

  set(host: string, answer: CachedAnswer): void {
    const slot = this.#slotFor(host);
    this.#slots.delete(host);
    this.#slots.set(host, slot);
    this.#packed[slot] = answer.code ? `!${answer.code}` : answer.addresses.join(' ');
    this.#expires[slot] = answer.expiresAt;
    this.#stale[slot] = answer.staleUntil;
  }

  #slotFor(host: string): number {
    const known = this.#slots.get(host);
    if (known !== undefined) return known;
    if (this.#slots.size >= this.#capacity) {
      const [oldest, slot] = this.#slots.entries().next().value as [string, number];
      this.#slots.delete(oldest);
      return slot;
    }
    const slot = this.#slots.size;
    if (slot >= this.#expires.length) {
      this.#expires = grown(this.#expires);
      this.#stale = grown(this.#stale);
    }
    return slot;
  }
}

function grown(array: Float64Array): Float64Array {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
