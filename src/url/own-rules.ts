/** The operator's own rules (the option `rules`) as rules of the scope. */
import type { Config } from '../config/config.js';
import { domainOf } from './domain.js';
import type { ScopeCondition, ScopeRule } from './scope.js';

type OwnRule = Config['rules'][number];

/** What refusals by them are counted under. */
const NAME = 'rules';

/** Asked where a link is found, in their order. */
export function ownScopeRules(rules: readonly OwnRule[]): ScopeRule[] {
  const found: ScopeRule[] = [];
  for (const { accept, reject } of rules) {
    const verdict = accept === undefined ? 'reject' : 'accept';
    const condition = scopeCondition((accept ?? reject)!);
    if (condition !== null) found.push({ ...condition, verdict, name: NAME, fixed: true });
  }
  return found;
}

function scopeCondition({ host, domain, prefix, glob, regexp }: NonNullable<OwnRule['accept']>): ScopeCondition | null {
  if (host !== undefined) return { kind: 'host', hosts: host };
  // of a name below one, its registrable domain: no URL could have another
  if (domain !== undefined) return { kind: 'domain', domains: domain.map((name) => domainOf(name.toLowerCase())) };
  if (prefix !== undefined) return { kind: 'prefix', prefixes: prefix };
  if (glob !== undefined) return { kind: 'glob', globs: glob };
  if (regexp !== undefined) return { kind: 'regexp', patterns: regexp };
  return null;
}

/** May a URL pass now that was rejected before? Rules that reject more, or accept less, let nothing pass. */
export function isMoreOpen(before: readonly OwnRule[], now: readonly OwnRule[]): boolean {
  const [was, is] = [ownScopeRules(before), ownScopeRules(now)];
  let i = 0;
  for (const rule of is) {
    while (i < was.length && was[i].verdict === 'accept' && !isSame(was[i], rule)) i++;
    if (i < was.length && isSame(was[i], rule)) i++;
    else if (rule.verdict === 'accept') return true;
  }
  return was.slice(i).some(({ verdict }) => verdict === 'reject');
}

const isSame = (a: ScopeRule, b: ScopeRule): boolean => JSON.stringify(a) === JSON.stringify(b);
