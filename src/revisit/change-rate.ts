/**
 * How often a page changes, from what its visits saw. Pure.
 *
 * A visit says only whether the page changed at all since the visit before it: of two changes in between one is seen.
 * Changes that come by chance at a steady rate r (a Poisson process) leave no trace in an interval t with probability
 * e^-rt, so the most likely rate solves
 *
 *     sum over changed intervals of t / (e^rt - 1)  =  sum of the unchanged intervals.
 *
 * For n intervals of one length I, X of them changed, that is r = -log((n - X) / n) / I: infinite if each visit saw a
 * change, and too high on average. Cho and Garcia-Molina ("Estimating Frequency of Change", 2003) mend both with
 * r = -log((n - X + 0.5) / (n + 0.5)) / I: as if half an interval more had been watched, and nothing had changed. Where
 * intervals differ we add half of their mean, each weighted by what it tells of the rate (its Fisher information,
 * t^2 / (e^rt - 1)): for equal intervals the solution is their formula, exactly, and for intervals of a minute to a day
 * the mean estimate is within 10% of the rate, where half of the plain mean is off by up to 50%
 * (docs/decisions/016). A 304 is an unchanged interval like any other.
 */

/** What one revisit saw. */
export interface Interval {
  /** Since the visit before, s; over 0. */
  seconds: number;
  changed: boolean;
}

/** Intervals that are kept of a page: the newest. Older ones say little about what the page does now. */
export const KEPT_INTERVALS = 16;

/** Changes a second, bias-corrected; 0 if no change was seen. */
export function changeRate(intervals: readonly Interval[]): number {
  const changes = intervals.filter(({ changed }) => changed).length;
  if (changes === 0) return 0;
  const least = changes / (3 * watchedSeconds(intervals));
  let high = (4 * changes) / Math.min(...intervals.map(({ seconds }) => seconds));
  let low = high / STEP;
  // where short and long intervals contradict each other there may be several solutions: short ones tell more, so it is
  // the highest
  while (low > least && score(intervals, low) <= 0) [low, high] = [low / STEP, low];
  for (let i = 0; i < HALVINGS; i++) {
    const rate = (low + high) / 2;
    if (score(intervals, rate) > 0) low = rate;
    else high = rate;
  }
  return (low + high) / 2;
}

const STEP = 1.5;
const HALVINGS = 32;

/** Over 0 where the rate is too low: what changed, less what did not, less half of the interval that tells most. */
function score(intervals: readonly Interval[], rate: number): number {
  let sum = 0;
  let weights = 0;
  let weighted = 0;
  for (const { seconds, changed } of intervals) {
    const odds = 1 / Math.expm1(rate * seconds);
    sum += changed ? seconds * odds : -seconds;
    weights += seconds * seconds * odds;
    weighted += seconds * seconds * seconds * odds;
  }
  return weights > 0 ? sum - weighted / weights / 2 : -1;
}

const watchedSeconds = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { seconds }) => sum + seconds, 0);

/** The rate to plan by: a page that never changed while it was watched is taken to change half a time in that time.
 * Changes a second; null if it was never watched. */
export function plannedRate(intervals: readonly Interval[]): number | null {
  if (intervals.length === 0) return null;
  const rate = changeRate(intervals);
  return rate > 0 ? rate : 0.5 / watchedSeconds(intervals);
}

/** Adds what a revisit saw, and forgets what is too old. */
export function extended(intervals: readonly Interval[], seen: Interval): Interval[] {
  return [...intervals, seen].slice(-KEPT_INTERVALS);
}

/** As a visit's row keeps it: whole seconds, each followed by `+` (changed) or `-`, oldest first: `86400-43200+`. */
export function historyText(intervals: readonly Interval[]): string {
  return intervals.map(({ seconds, changed }) => `${seconds}${changed ? '+' : '-'}`).join('');
}

/** Reads {@link historyText}; what is not of that form is passed over (a row of a damaged store). */
export function parseHistory(text: string | null): Interval[] {
  const intervals: Interval[] = [];
  for (const [, seconds, sign] of (text ?? '').slice(0, MOST_TEXT).matchAll(/(\d{1,10})([+-])/g)) {
    if (Number(seconds) > 0) intervals.push({ seconds: Number(seconds), changed: sign === '+' });
  }
  return intervals.slice(-KEPT_INTERVALS);
}

const MOST_TEXT = 12 * KEPT_INTERVALS;
