/** Times that are given on the command line. */
import { UserError } from '../errors.js';
import { parseDuration } from '../units.js';
import type { Arguments } from './arguments.js';

/** The value of a flag: a date, a date and time (UTC unless it says otherwise), or how long ago. Wall ms; null without the flag.
 * @throws UserError (usage) */
export function timeOf(flags: Arguments['flags'], name: string, now: number): number | null {
  const value = flags.get(name);
  if (value === undefined) return null;
  const ago = parseDuration(value);
  if (ago > 0) return now - ago;
  const isDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(value);
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/.test(value) || value.length === 10 ? value : `${value}Z`;
  const at = isDate ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UserError(
    `--${name} cannot be "${value}": give a date such as 2026-01-31, or how long ago, such as 7d.`,
    2,
  );
}
