/** What is known about blocks, as numbers of one byte. */
const LOG_TABLE = new Uint8Array(4096);
for (let i = 0; i < LOG_TABLE.length; i++) LOG_TABLE[i] = Math.round(Math.log2(1 + i) * 12);

/** Twelve steps an octave: 0 for 0, 144 for 4,096, at most 255. */
export function log(value: number): number {
  if (value < 4096) return LOG_TABLE[value];
  return Math.min(255, Math.round(Math.log2(1 + value) * 12));
}

/** A share in percent; 0 of nothing. */
export function share(part: number, whole: number): number {
  return part === 0 ? 0 : Math.min(100, ((part * 100) / whole) | 0);
}

/** At most 255. */
export const cap = (value: number): number => Math.min(value, 255);

/** A number of blocks, either way, from 1 to 255. */
export const step = (blocks: number): number => Math.max(1, Math.min(255, 128 + blocks));
