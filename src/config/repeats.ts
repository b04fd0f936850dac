/** Pages that repeat others, and pages that are visited again: parts of the table in `config.ts`. */

import { choice, count, duration, group, orAuto } from './kinds.js';
import { SEEN } from './storage.js';

/** DESIGN 10. */
export const DUPLICATES_REVISITS = group('Duplicates and revisits', {
  ...SEEN,
  'simhash.distance': count(3, 0, 3, 'Fingerprint bits by which near-duplicates may differ.'),
  'simhash.shingles': count(20, 1, 10_000, 'The least three-word shingles of a text that gets a fingerprint.'),
  'dedupe.exact': choice(
    'drop',
    ['drop', 'demote', 'follow'],
    'What becomes of the links of a page whose content is held already.',
  ),
  'dedupe.near': choice('demote', ['drop', 'demote', 'follow'], 'What becomes of the links of a near-duplicate.'),
  'revisit.policy': choice(
    'none',
    ['none', 'adaptive', 'uniform', 'optimal'],
    'When pages are fetched again; with any but none the crawl stands: it goes on until it is stopped.',
    { flag: 'revisit' },
  ),
  'revisit.first': duration(
    '1d',
    '1s',
    '3650d',
    'The time from the first visit of a page to the second, but for the uniform policy.',
  ),
  'revisit.min': duration('1h', '1s', '365d', 'The shortest time to the next visit.'),
  'revisit.max': duration('30d', '1s', '3650d', 'The longest time to the next visit.'),
  'revisit.every': duration('30d', '1s', '3650d', 'The time to the next visit under the uniform policy.'),
  'revisit.perDay': orAuto(
    count(
      1,
      1,
      1e12,
      'Revisits a day that the optimal policy spends; auto is what uniform would: all pages in revisit.every.',
    ),
  ),
});
