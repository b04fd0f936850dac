/**
 * Freshness, simulated: pages that change by chance, visited under each policy, against the closed formulas of
 * `revisit/freshness.ts`. Time is in intervals of the uniform policy, which visits each page once in each; all policies
 * spend the same visits. The simulation knows nothing of the formulas: it draws when pages change and looks how long each
 * stays as it was fetched. `adaptive` and `estimated` run the code that crawls run (`revisit/plan.ts`), which has to learn
 * the rates from what its visits see.
 */
import type { LastVisit } from '../engines/ports.js';
import {
  freshness,
  meanFreshness,
  optimalFrequency,
  proportionalFrequency,
  type RateClass,
  uniformFrequency,
} from '../revisit/freshness.js';
import { Planner } from '../revisit/plan.js';
import { NO_RATE, rateClass } from '../revisit/rate-census.js';
import { randomFor, type WebRandom } from './web-random.js';

export interface FreshnessOptions {
  /** Rates in changes per interval, and how many in a hundred pages have them. Default {@link SEED_MIX}. */
  mix: readonly RateClass[];
  pages: number;
  /** Intervals that are simulated. */
  intervals: number;
  /** How many of the pages the policies that learn get: each of their visits runs the estimator. */
  learners: number;
  seed: number;
}

export interface PolicyResult {
  policy: 'uniform' | 'proportional' | 'optimal' | 'adaptive' | 'estimated';
  /** Share of the time, over all pages, in which a page is as it was fetched. */
  measured: number;
  /** By the closed formula; null where there is none. */
  formula: number | null;
  /** Visits to a page in an interval, on average. */
  visits: number;
}

export interface FreshnessReport {
  mix: readonly RateClass[];
  pages: number;
  /** Pages that change once per interval, under the uniform policy. */
  oneChange: { measured: number; formula: number };
  policies: PolicyResult[];
}

/**
 * 3% of the pages change 166 times in an interval, 25% once in 10, 72% once in 200. Seed C prints 0.956 for uniform, 0.198
 * for proportional and "within 0.6% of optimal", and not of which rates; these give all three.
 */
const SEED_MIX: readonly RateClass[] = [
  { rate: 166, weight: 3 },
  { rate: 0.1, weight: 25 },
  { rate: 0.005, weight: 72 },
];

const DEFAULTS: FreshnessOptions = { mix: SEED_MIX, pages: 5_000, intervals: 60, learners: 500, seed: 1 };

export function runFreshness(options: Partial<FreshnessOptions> = {}): FreshnessReport {
  const { mix, pages, intervals, learners, seed } = { ...DEFAULTS, ...options };
  const random = randomFor(seed, 'freshness');
  const rates = ratesOf(mix, pages);
  const policies = {
    uniform: uniformFrequency,
    proportional: proportionalFrequency,
    optimal: optimalFrequency,
  } as const;
  const results: PolicyResult[] = [];
  const classes = [...count(rates)].map(([rate, weight]) => ({ rate, weight }));
  for (const [policy, frequencies] of Object.entries(policies)) {
    const frequency = frequencies(classes, pages);
    const measured = mean(rates.map((rate) => watched(rate, frequency(rate), intervals, random)));
    const visits = mean(rates.map(frequency));
    results.push({
      policy: policy as PolicyResult['policy'],
      measured,
      formula: meanFreshness(classes, frequency),
      visits,
    });
  }
  for (const policy of ['adaptive', 'estimated'] as const) results.push(learning(policy, rates, learners, random));
  const once = mean(Array.from({ length: pages }, () => watched(1, 1, intervals, random)));
  return { mix, pages, oneChange: { measured: once, formula: freshness(1) }, policies: results };
}

/** The rate of each page. Every class has its share, to the page. */
function ratesOf(mix: readonly RateClass[], pages: number): number[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const rates: number[] = [];
  let share = 0;
  for (const { rate, weight } of mix) {
    share += weight;
    while (rates.length < Math.round((share / total) * pages)) rates.push(rate);
  }
  return rates;
}

function count(rates: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const rate of rates) counts.set(rate, (counts.get(rate) ?? 0) + 1);
  return counts;
}

/** The share of its time in which one page is fresh that is visited at equal intervals. */
function watched(rate: number, frequency: number, intervals: number, random: WebRandom): number {
  if (frequency === 0) return rate === 0 ? 1 : 0;
  const gap = 1 / frequency;
  const visits = Math.max(Math.ceil(intervals * frequency), FEWEST_VISITS);
  let fresh = 0;
  for (let visit = 0; visit < visits; visit++) fresh += Math.min(firstChange(rate, random), gap);
  return fresh / (visits * gap);
}

/** A page that is visited seldom is watched for longer than the others. */
const FEWEST_VISITS = 20;

/** How long after a visit a page changes. */
const firstChange = (rate: number, random: WebRandom): number =>
  rate === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - random.float()) / rate;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One interval, as long as the planner is told it is, ms. */
const INTERVAL = 30 * 86_400_000;
/** The most visits to a page in an interval, and the intervals that learning policies get before they are measured. */
const MOST_VISITS = 72;
const LEARNING = 12;

interface LearningPage {
  rate: number;
  /** When it changes first after its last visit, ms. */
  changesAt: number;
  last: LastVisit;
  /** Its class in the census. */
  of: number;
}

/**
 * A policy that learns: half of the time is given to learning, the other half is measured. All pages are carried on in the
 * order of time, since what one page gets depends on what is known of the others.
 */
function learning(
  policy: 'adaptive' | 'estimated',
  all: readonly number[],
  learners: number,
  random: WebRandom,
): PolicyResult {
  const step = Math.max(Math.ceil(all.length / learners), 1);
  const rates = all.filter((_, i) => i % step === 0);
  const max = policy === 'adaptive' ? INTERVAL : 8 * INTERVAL;
  const planner = new Planner({
    ...{ policy: policy === 'adaptive' ? 'adaptive' : 'optimal', first: INTERVAL, every: INTERVAL, perDay: null },
    ...{ min: INTERVAL / MOST_VISITS, max },
  });
  const from = LEARNING * INTERVAL;
  const end = 2 * from;
  // rounds as long as the shortest interval: within one, order does not matter
  const rounds: LearningPage[][] = Array.from({ length: 2 * LEARNING * MOST_VISITS }, () => []);
  let fresh = 0;
  let visits = 0;
  const wait = (page: LearningPage): void => {
    const { at, nextVisit } = page.last;
    page.changesAt = at + firstChange(page.rate, random) * INTERVAL;
    fresh += Math.max(Math.min(page.changesAt, nextVisit!, end) - Math.max(at, from), 0);
    rounds[Math.floor((nextVisit! / INTERVAL) * MOST_VISITS)]?.push(page);
  };
  for (const rate of rates) wait({ rate, changesAt: 0, of: NO_RATE, last: firstVisit(random.float() * INTERVAL) });
  for (const round of rounds) {
    for (const page of round) {
      const at = page.last.nextVisit!;
      if (at >= from && at < end) visits++;
      const { nextVisit, history, rate } = planner.plan(page.last, { at, isPage: true, changed: page.changesAt <= at });
      planner.census.move(page.of, rateClass(rate));
      page.of = rateClass(rate);
      page.last = { ...page.last, at, nextVisit, history };
      wait(page);
    }
  }
  const measured = fresh / (rates.length * (end - from));
  return { policy, measured, formula: null, visits: visits / rates.length / LEARNING };
}

function firstVisit(next: number): LastVisit {
  const body = { visit: 0, at: 0, target: '', contentHash: null, payloadDigest: null, simhash: null };
  const nothing = { history: null, etag: null, lastModified: null, duplicateOf: -1, body };
  return { visit: 0, at: next - INTERVAL, nextVisit: next, found: true, ...nothing };
}

/** The report in words. */
export function freshnessText({ mix, pages, oneChange, policies }: FreshnessReport): string {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  const rows = policies.map(({ policy, measured, formula, visits }) =>
    [
      policy.padEnd(14),
      percent(measured).padStart(8),
      (formula === null ? '-' : percent(formula)).padStart(8),
      visits.toFixed(2).padStart(8),
    ].join('  '),
  );
  const [uniform, proportional] = ['uniform', 'proportional'].map((name) => policies.find((p) => p.policy === name)!);
  return [
    `A page that is visited as often as it changes is fresh ${percent(oneChange.measured)} of the time; (1 - e^-x) / x says ${percent(oneChange.formula)}.`,
    '',
    `${pages} pages: ${mix.map(({ rate, weight }) => `${percent(weight / total)} change ${rate} times per interval`).join(', ')}.`,
    '',
    `${'policy'.padEnd(14)}  ${'fresh'.padStart(8)}  ${'formula'.padStart(8)}  ${'visits'.padStart(8)}`,
    ...rows,
    '',
    `Visits are per page and interval. Proportional loses: ${percent(proportional.measured)} against ${percent(uniform.measured)} for the same visits.`,
    'adaptive (not bound to a budget) and estimated (the optimal policy with rates it has to learn) run the code of crawls.',
  ].join('\n');
}
