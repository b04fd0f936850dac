/**
 * Quantities as people write them: durations (`300ms`, `1h30m`), sizes (`64KiB`, `1GB`), counts. Inside the program a
 * duration is a number of milliseconds and a size a number of bytes.
 */

const DURATION_UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const SIZE_UNITS: readonly (readonly [unit: string, bytes: number])[] = [
  ['TiB', 1024 ** 4],
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
  ['B', 1],
];

/**
 * Milliseconds of `300ms`, `1s`, `5m`, `2h`, `30d`, `1.5h` or a sum such as `1h30m`; a number is milliseconds already.
 * A string without a unit is not a duration (`--delay 5` would be 5 ms to one reader and 5 s to the next), except `0`.
 * Returns NaN for everything else. The result is whole milliseconds.
 */
export function parseDuration(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 40) return Number.NaN;
  const text = value.trim().toLowerCase();
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|min|h|d))+$/.test(text)) return Number.NaN;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) {
    total += Number(amount) * unitOf(DURATION_UNITS, unit === 'min' ? 'm' : unit);
  }
  return Math.round(total);
}

/** The largest two units that say it: `1h30m`, `300ms`, `36h`, `30d`. Reads back with {@link parseDuration}; what is
 * dropped is under 1% of what stays. Days begin at two, since `24h` says more than `1d`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'off';
  let rest = Math.round(ms);
  let text = '';
  for (const [unit, length] of DURATION_UNITS) {
    const amount = Math.floor(rest / length);
    if (amount === 0 || (unit === 'd' && amount < 2)) {
      if (text !== '') break;
      continue;
    }
    const second = text !== '';
    text += `${amount}${unit}`;
    rest -= amount * length;
    if (second || rest === 0) break;
  }
  return text === '' ? '0' : text;
}

/** Bytes of `64KiB`, `1 GiB`, `1.5MB` (decimal), `512` or `512B`, in any case of letters. NaN for anything else. */
export function parseSize(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 40) return Number.NaN;
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b|)$/i.exec(value.trim());
  if (!match || /^ib$/i.test(match[2])) return Number.NaN;
  return Math.round(Number(match[1]) * (match[2] === '' ? 1 : unitOf(SIZE_UNITS, match[2])));
}

/** A size as an option holds it, `64KiB`, `1.5GiB`, `900B`: at most one decimal. What is told is {@link formatSize}. */
export function writtenSize(bytes: number): string {
  for (const [unit, length] of SIZE_UNITS.slice(0, 4)) {
    if (bytes >= length) return `${Math.round((bytes / length) * 10) / 10}${unit}`;
  }
  return `${Math.round(bytes)}B`;
}

const TOLD_UNITS: readonly (readonly [unit: string, bytes: number])[] = [
  ['EB', 1e18],
  ['PB', 1e15],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];

/** A size as people are told it, three digits in the decimal units of disks and networks: `900 B`, `4.83 MB`, `1.2 TB`. */
export function formatSize(bytes: number): string {
  const [unit, length] = TOLD_UNITS.find(([, bytesOfUnit]) => bytes >= bytesOfUnit * 0.9995) ?? ['B', 1];
  return `${Number((bytes / length).toPrecision(3))} ${unit}`;
}

/** `1,234,567`. Not by `toLocaleString`: the first call of that loads ICU, 30 ms that `--help` would pay. */
export function formatCount(count: number): string {
  return Number.isFinite(count) ? String(count).replace(/\B(?=(?:\d{3})+$)/g, ',') : 'off';
}

/** `1 host`, `1,234 hosts`.
 * @param many for nouns whose plural is not the `s` form */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function unitOf(units: readonly (readonly [string, number])[], name: string): number {
  const found = units.find(([unit]) => unit.toLowerCase() === name.toLowerCase());
  return found ? found[1] : Number.NaN;
}
