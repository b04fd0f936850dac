/** Numbers of a plan as people say them. */

/** Three digits that matter: `386`, `3,860`, `0.833`, `1.33M`. */
export function amount(value: number): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return 'unlimited';
  const rounded = Number(value.toPrecision(3));
  for (const [unit, scale] of [
    ['T', 1e12],
    ['B', 1e9],
    ['M', 1e6],
  ] as const) {
    if (rounded >= scale) return `${trimmed(rounded / scale)}${unit}`;
  }
  if (rounded >= 1000) return String(rounded).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rounded >= 0.001 ? trimmed(rounded) : rounded.toExponential();
}

const trimmed = (value: number): string => String(Number(value.toPrecision(3)));

/** A rate over a line. */
export function bits(perSecond: number): string {
  for (const [unit, scale] of [
    ['Tbit/s', 1e12],
    ['Gbit/s', 1e9],
    ['Mbit/s', 1e6],
  ] as const) {
    if (perSecond >= scale * 0.9995) return `${trimmed(perSecond / scale)} ${unit}`;
  }
  return `${trimmed(perSecond / 1e3)} kbit/s`;
}

/** The largest unit that leaves a number of at least 1: `11.6 days`, `3.8 years`, `1.2 s`. */
export function long(seconds: number): string {
  const units = [
    ['years', 365 * 86_400],
    ['days', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const;
  for (const [unit, length] of units)
    if (seconds >= length * (unit === 'h' || unit === 'min' ? 2 : 1)) return `${trimmed(seconds / length)} ${unit}`;
  return `${trimmed(seconds * 1000)} ms`;
}

/** A share as a percentage, with the digits that matter. */
export function percent(share: number): string {
  const value = 100 * share;
  return value >= 99.95 && value < 100
    ? `${value.toFixed(2)}%`
    : `${value < 0.001 && value > 0 ? value.toExponential(1) : trimmed(value)}%`;
}
