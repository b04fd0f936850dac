/**
 * The options that enter a URL's key. They are frozen in the crawl's `meta`: a crawl that resumed under others would
 * meet its own pages as new ones.
 *
 * A name may end in `*`, which stands for any run of characters. Names are compared without regard to case.
 */
export interface KeyOptions {
  /** Query parameters that are removed whatever their value. */
  readonly trackingParameters: readonly string[];
  /** Query parameters that are removed where the value is a token: at least `sessionTokenLength` letters and digits,
   * nothing else. `sid=about-us` names a page, `sid=9f86d081884c7d65` a visitor. */
  readonly sessionParameters: readonly string[];
  /** The same for parameters of a path segment (`/cart;jsessionid=...`), where a route may follow the token
   * (`.node1`, `!-1822!2`), as servlet containers write it. */
  readonly pathSessionParameters: readonly string[];
  readonly sessionTokenLength: number;
}

/** DESIGN section 5. */
export const DEFAULT_KEY_OPTIONS: KeyOptions = Object.freeze({
  trackingParameters: Object.freeze([
    'utm_*',
    'fbclid',
    'gclid',
    'msclkid',
    'yclid',
    'dclid',
    'igshid',
    'mc_cid',
    'mc_eid',
    'ref',
  ]),
  sessionParameters: Object.freeze(['sid', 'sessionid', 'PHPSESSID', 'ASPSESSIONID*']),
  pathSessionParameters: Object.freeze(['jsessionid']),
  sessionTokenLength: 16,
});
