/** Time and randomness of the real world, and randomness that can be repeated. */
import type { Clock, Random } from './ports.js';

/** `process.hrtime` counts from the same moment in all threads of the process; `performance.now` from the start of
 * each thread. */
export const systemClock: Clock = {
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  wall: () => Date.now(),
};

export const systemRandom: Random = { next: () => Math.random() };

/**
 * The same sequence for the same seed, on every machine: sfc32 (Chris Doty-Humphrey, PractRand), 2^-32 resolution.
 * @param seed any integer; its low 32 bits count.
 */
export function seededRandom(seed: number): Random {
  let a = 0;
  let b = seed | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const step = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  // Seeds that differ in one bit have diverged after 12 steps.
  for (let i = 0; i < 12; i++) step();
  return { next: () => step() / 2 ** 32 };
}
