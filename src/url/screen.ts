/**
 * The part of admission that needs no shared state: scope, and the guards on a URL's shape. Asked where a link is found
 * (a page worker), so that refused links never travel.
 */
import type { NormalUrl } from './normalize.js';
import type { Scope } from './scope.js';
import type { TrapGuards } from './traps.js';

/** Name of what refuses a URL, or null. Depth and the number of queries are asked by the owner of its host. */
export function screen(url: NormalUrl, scope: Scope, traps: TrapGuards, isSitemap = false): string | null {
  const trap = traps.check(url, 0);
  if (trap !== null) return trap;
  const { accept, rule } = isSitemap ? scope.verdictOfSitemap(url) : scope.verdict(url);
  return accept ? null : NAMED.has(rule) ? rule : 'scope';
}

/** Rules of the operator's that refusals are counted under by name. */
const NAMED: ReadonlySet<string> = new Set(['rules', 'include', 'exclude', 'blocked']);
