/** What decides when pages are visited again: the options `revisit.*`, in ms. */
export interface RevisitOptions {
  policy: 'none' | 'adaptive' | 'uniform' | 'optimal';
  /** Bounds of the time between two visits of a page, ms. */
  min: number;
  max: number;
  /** From the first visit to the second (but for `uniform`), ms. */
  first: number;
  /** The interval of `uniform`; `optimal` spends as many visits, in whole, unless `perDay` says how many. ms */
  every: number;
  perDay: number | null;
}

/** A crawl that fetches each page once. */
export const NO_REVISITS: RevisitOptions = { policy: 'none', min: 0, max: 0, first: 0, every: 0, perDay: null };
