/** Dates and waits in HTTP headers (RFC 9110, 5.6.7 and 10.2.3). Times are wall-clock milliseconds since 1970. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 24 * 60 * 60 * 1000;

/** `Sun, 06 Nov 1994 08:49:37 GMT`; zones other than GMT/UTC and missing ones are read as GMT, the rest is strict. */
const IMF_FIXDATE =
  /^(?:[a-z]+,?\s+)?(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{4})\s+(\d{1,2}):(\d{2}):(\d{2})(?:\s+\S+)?$/i;
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const RFC_850 = /^(?:[a-z]+,?\s+)?(\d{1,2})-([a-z]{3})-(\d{2})\s+(\d{1,2}):(\d{2}):(\d{2})(?:\s+\S+)?$/i;
/** `Sun Nov  6 08:49:37 1994` */
const ASCTIME = /^[a-z]+\s+([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})$/i;
const STRICT_IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads the three forms of an HTTP date; null for anything else. A year of two digits that would be more than 50
 * years ahead of `now` is the past one (RFC 9110, 5.6.7). */
export function parseHttpDate(text: string, now: number): number | null {
  if (text.length > 64) return null;
  const imf = IMF_FIXDATE.exec(text);
  if (imf) return utc(Number(imf[3]), imf[2], imf[1], imf[4], imf[5], imf[6]);
  const rfc850 = RFC_850.exec(text);
  if (rfc850) return utc(fullYear(Number(rfc850[3]), now), rfc850[2], rfc850[1], rfc850[4], rfc850[5], rfc850[6]);
  const asctime = ASCTIME.exec(text);
  return asctime ? utc(Number(asctime[6]), asctime[1], asctime[2], asctime[3], asctime[4], asctime[5]) : null;
}

function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

function utc(
  year: number,
  monthName: string,
  day: string,
  hour: string,
  minute: string,
  second: string,
): number | null {
  const month = MONTHS.indexOf(monthName.toLowerCase());
  const fits = month >= 0 && +day >= 1 && +day <= 31 && +hour <= 23 && +minute <= 59 && +second <= 60;
  return fits ? Date.UTC(year, month, +day, +hour, +minute, +second) : null;
}

/** The form every server must read: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export const formatHttpDate = (time: number): string => new Date(time).toUTCString();

/** A Last-Modified value as If-Modified-Since should carry it: the server's own text where that is strict (some
 * servers compare strings), else the same time in the strict form, null where it is no date at all. */
export function validatorDate(lastModified: string, now: number): string | null {
  if (STRICT_IMF_FIXDATE.test(lastModified)) return lastModified;
  const time = parseHttpDate(lastModified, now);
  return time === null ? null : formatHttpDate(time);
}

/** Retry-After, seconds or a date, as milliseconds from `now`: at least 0, at most 24 h (DESIGN 4); null where it says
 * nothing that can be read. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, DAY_MS);
  const time = parseHttpDate(value, now);
  return time === null ? null : Math.min(Math.max(time - now, 0), DAY_MS);
}
