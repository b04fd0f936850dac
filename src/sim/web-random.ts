/**
 * Seeded randomness of the synthetic webs: the generator sfc32 (Chris Doty-Humphrey, PractRand), keyed by a seed and
 * a label, so that every page is a pure function of its name and no page depends on the order of generation.
 */
export class WebRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(a: number, b: number, c: number) {
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    for (let i = 0; i < 12; i++) this.uint32();
  }

  /** The next 32 bits. */
  uint32(): number {
    const t = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }

  /** A number in [0, 1). */
  float(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** A whole number in [0, n), n at least 1 and at most 2^32. */
  below(n: number): number {
    return Math.floor(this.float() * n);
  }

  /** A whole number in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return this.float() < p;
  }

  /** One element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string {
    let digits = '';
    while (digits.length < length) digits += this.uint32().toString(16).padStart(8, '0');
    return digits.slice(0, length);
  }
}

/** 32 bits of a label under a seed (FNV-1a with a final avalanche): spread, not security. */
export function hashLabel(seed: number, label: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The generator that belongs to one label (a host, a page, a vocabulary) of the web with this seed. */
export function randomFor(seed: number, label: string): WebRandom {
  return new WebRandom(
    hashLabel(seed, label),
    hashLabel(seed ^ 0x9e3779b9, label),
    hashLabel(seed ^ 0x7f4a7c15, label),
  );
}
