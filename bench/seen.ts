/**
 * `npm run bench -- seen`: what a key of the exact table costs; the errors of the Bloom filter against the formula, at its design size and at twice that, with
 * at least 400 false answers counted for each figure; and when it says that it is overfull.
 */
import { bloomSizeForBits } from '../src/dedupe/bloom.js';
import { BloomSeen, UNNAMED } from '../src/dedupe/bloom-seen.js';
import { SeenTable } from '../src/dedupe/seen.js';

/** False answers that are counted: their number is then within 5% of its mean two times in three, and 15% always. */
const FALSE = 2_000;
/** A measured rate may differ from the formula by so much. */
const TOLERANCE = 0.1;
const DESIGN = 4_000_000;

/** Keys of the exact table whose costs are taken. */
const EXACT = 8_000_000;

/** What the exact table costs a key: inserted, found, and not found; CPU us. */
function exactCosts(say: (line: string) => void): void {
  const seen = new SeenTable();
  const each = (work: (n: number) => void): string => {
    const before = process.cpuUsage();
    for (let n = 0; n < EXACT; n++) work(n);
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / EXACT).toFixed(2);
  };
  const key = (n: number): [hi: number, lo: number] => [scatter(n), scatter(n ^ 0x2545f491)];
  const insert = each((n) => seen.insert(...key(n), n));
  const found = each((n) => seen.get(...key(n)));
  const missed = each((n) => seen.get(...key(n + EXACT)));
  const bytes = (seen.bytes / EXACT).toFixed(1);
  say(
    `exact, ${EXACT / 1e6} million keys, CPU us: insert ${insert}, get ${found}, get of a new key ${missed}; ${bytes} bytes`,
  );
}

/** True if every rate is within the tolerance and the alert came in time. */
export function seenBench(say: (line: string) => void): boolean {
  exactCosts(say);
  let isGood = true;
  for (const bits of [9.6, 20]) {
    const seen = new BloomSeen({ keys: DESIGN, bitsPerKey: bits, rate: null, secret: () => 0x5eed });
    seen.keeps = () => false;
    const { hashes } = bloomSizeForBits(DESIGN, bits);
    let n = 0;
    let alertAt = 0;
    let probe = 2 ** 31;
    for (const load of [1, 2]) {
      for (; n < load * DESIGN; n++) {
        seen.insert(scatter(n), scatter(n ^ 0x2545f491), n);
        if (alertAt === 0 && seen.isOverfull) alertAt = n + 1;
      }
      let [asked, wrong] = [0, 0];
      // keys from the other half of all numbers were never added
      for (; wrong < FALSE; asked++, probe++)
        if (seen.get(scatter(probe), scatter(probe ^ 0x2545f491)) === UNNAMED) wrong++;
      const measured = wrong / asked;
      const formula = (1 - Math.exp((-hashes * load) / bits)) ** hashes;
      const off = measured / formula - 1;
      say(
        `${bits} bits a key (k = ${hashes}), ${load} times the design size of ${DESIGN / 1e6} million: ` +
          `${(100 * measured).toPrecision(3)}% of new URLs skipped (${wrong} of ${asked}), by the formula ` +
          `${(100 * formula).toPrecision(3)}%: ${(100 * off).toFixed(1)}% off; ${(100 * seen.figures.fill).toFixed(1)}% full`,
      );
      isGood &&= Math.abs(off) <= TOLERANCE;
    }
    say(
      `  overfull from ${(alertAt / DESIGN).toFixed(4)} times the design size on; exact keys beside it: ${seen.exact.size}`,
    );
    isGood &&= alertAt > 0 && alertAt < 1.05 * DESIGN;
  }
  if (!isGood) say('FAULT: a rate is off by more than 10%, or the alert came late');
  return isGood;
}

/** Every number from 0 to 2^32 - 1 becomes another one. */
function scatter(n: number): number {
  const hash = Math.imul(n ^ (n >>> 16), 0x7feb352d);
  const next = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (next ^ (next >>> 16)) >>> 0;
}
