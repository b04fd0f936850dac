/** The ceiling of the frontier as a summary says it. */
import type { CeilingSummary } from '../crawl-options.js';
import type { CeilingFigures } from '../frontier/ceiling.js';

export function ceilingSummary({ backQueues, period, pagesPerSecond, binds, boundMs }: CeilingFigures): CeilingSummary {
  return {
    backQueues,
    period: period === null ? null : Math.round(period) / 1000,
    pagesPerSecond: pagesPerSecond === null ? null : Math.round(pagesPerSecond * 100) / 100,
    binds,
    bound: Math.round(boundMs / 100) / 10,
  };
}
