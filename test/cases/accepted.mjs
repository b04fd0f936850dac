// Misses that are explained: a case whose id stands in the page of docs/ that its suite belongs to.
import { readFileSync } from 'node:fs';

const PAGES = /** @type {const} */ ([
  ['robots_meta', 'parsing'],
  ['robots_', 'robots'],
  ['url_', 'urls'],
  ['html_', 'parsing'],
  ['charset_', 'parsing'],
  ['sitemap_', 'parsing'],
  ['neardup_', 'duplicates'],
]);

/**
 * @param {string} suite
 * @returns {ReadonlySet<string>} ids
 */
export function accepted(suite) {
  const page = PAGES.find(([prefix]) => suite.startsWith(prefix))?.[1] ?? null;
  if (page === null) return new Set();
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  return new Set([...text.matchAll(/`([0-9a-f]{12})`/g)].map(([, id]) => id));
}
