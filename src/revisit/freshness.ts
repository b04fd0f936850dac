/**
 * How fresh pages are that change by chance, and how to spend visits on them. A page that changes as a Poisson process
 * with a rate, and is fetched each interval, is as it was fetched for a part F of the time (Cho and Garcia-Molina,
 * "Effective Page Refresh Policies for Web Crawlers", 2003; seed C). Rates and frequencies may be in any unit of time,
 * as long as it is the same for both.
 */

/** F = (1 - e^-x) / x at x changes per interval: 1 at 0, 63% at 1. */
export function freshness(x: number): number {
  return x <= 0 ? 1 : -Math.expm1(-x) / x;
}

/** Pages that change alike: `weight` of them, each `rate` times per unit of time. */
export interface RateClass {
  rate: number;
  weight: number;
}

/** The visits that one page may get per unit of time. */
export interface FrequencyBounds {
  least: number;
  most: number;
}

const UNBOUNDED: FrequencyBounds = { least: 0, most: Number.POSITIVE_INFINITY };

/** Mean freshness of all pages; `frequency` in visits per unit of time, 0 for a page that is never visited again. */
export function meanFreshness(classes: readonly RateClass[], frequency: (rate: number) => number): number {
  let sum = 0;
  let pages = 0;
  for (const { rate, weight } of classes) {
    const visits = frequency(rate);
    sum += weight * (rate === 0 ? 1 : visits === 0 ? 0 : freshness(rate / visits));
    pages += weight;
  }
  return pages === 0 ? 1 : sum / pages;
}

/** Every page as often as every other. @param budget visits of all pages together */
export function uniformFrequency(classes: readonly RateClass[], budget: number): (rate: number) => number {
  const each = budget / total(classes, () => 1);
  return () => each;
}

/** Each page as often as it changes. Never used: it spends the budget on pages that are stale whatever one does. */
export function proportionalFrequency(classes: readonly RateClass[], budget: number): (rate: number) => number {
  const share = budget / total(classes, ({ rate }) => rate);
  return (rate) => rate * share;
}

/**
 * The frequencies of most freshness for a budget. By Karush, Kuhn and Tucker all pages that are visited gain the same
 * from one visit more: with x = rate / frequency that gain is g(x) / rate, where g(x) = 1 - (1 + x) e^-x < 1. So there is
 * a price m with g(x) = m * rate for these, and pages with m * rate >= 1 change too fast to be worth a visit. The price is
 * found by halving: the dearer, the fewer visits.
 *
 * @param budget visits of all pages together; where the bounds ask for more or allow less, they win
 */
export function optimalFrequency(
  classes: readonly RateClass[],
  budget: number,
  bounds: FrequencyBounds = UNBOUNDED,
): (rate: number) => number {
  const spent = (price: number): number =>
    classes.reduce((sum, { rate, weight }) => sum + weight * frequencyAt(price, rate, bounds), 0);
  let [cheap, dear] = [-LOG_PRICES, LOG_PRICES];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (cheap + dear) / 2;
    if (spent(Math.exp(middle)) > budget) cheap = middle;
    else dear = middle;
  }
  const price = Math.exp(dear);
  return (rate) => frequencyAt(price, rate, bounds);
}

/** Prices are looked for between e^-60 and e^60: whatever the unit, a rate of more or less is none that a page has. */
const LOG_PRICES = 60;
const HALVINGS = 60;

function frequencyAt(price: number, rate: number, { least, most }: FrequencyBounds): number {
  if (rate === 0 || price * rate >= 1) return least;
  return Math.min(Math.max(rate / inverseGain(price * rate), least), most);
}

/** x with 1 - (1 + x) e^-x = y, for 0 < y < 1. By Newton's steps, kept inside what is known. */
function inverseGain(y: number): number {
  let [low, high] = [0, 750];
  let x = Math.min(Math.sqrt(2 * y) + y, 700); // g(x) is x^2 / 2 near 0
  for (let i = 0; i < 100; i++) {
    const over = gain(x) - y;
    if (over > 0) high = x;
    else low = x;
    const step = x - over / (x * Math.exp(-x));
    const next = step > low && step < high ? step : (low + high) / 2;
    if (Math.abs(next - x) <= 1e-12 * x) return next;
    x = next;
  }
  return x;
}

/** 1 - (1 + x) e^-x without the loss of digits at small x. */
const gain = (x: number): number => (x < 1e-4 ? (x * x) / 2 - (x * x * x) / 3 : -Math.expm1(-x) - x * Math.exp(-x));

const total = (classes: readonly RateClass[], of: (c: RateClass) => number): number =>
  classes.reduce((sum, c) => sum + c.weight * of(c), 0);
