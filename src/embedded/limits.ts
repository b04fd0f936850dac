/** The limits that a later run may widen, and which of the refusals of earlier runs that takes back. */
import type { Config } from '../config/config.js';
import { isMoreOpen } from '../url/own-rules.js';
import { memoryLimit } from './memory-gauge.js';

/** As `meta` keeps them. Numbers that may be `off` are null then. Stores of earlier versions have the first four only. */
export interface Limits extends Pick<Config, 'scope' | 'depth' | 'include' | 'exclude'> {
  rules?: Config['rules'];
  budget?: number | null;
  seedBudget?: number | null;
  /** Of one registrable domain. */
  hosts?: number | null;
  queries?: number | null;
  length?: number | null;
  repeat?: number | null;
  /** Bytes from which on levels 4 and 3 are refused. */
  memory?: [number, number];
  blocklist?: readonly string[];
}

export function limitsOf(config: Config): Limits {
  const { scope, depth, include, exclude, rules, blocklist } = config;
  const bound = (n: number): number | null => (n === Number.POSITIVE_INFINITY ? null : n);
  const memory = memoryLimit(config);
  return {
    ...{ scope, depth, include, exclude, rules, blocklist },
    budget: bound(config.budget),
    seedBudget: bound(scope === 'any' ? config.budget : config.seedBudget),
    hosts: bound(config['domain.hosts']),
    queries: bound(config['trap.queries']),
    length: bound(config['trap.urlLength']),
    repeat: bound(config['trap.repeat']),
    memory: [memory * config['memory.refuseLevel4'], memory * config['memory.refuseLevel3']].map(Math.round) as [
      number,
      number,
    ],
  };
}

const REACH = ['prefix', 'host', 'domain', 'any'];
/** Memory counts as more from here on: what a machine has differs by a little from start to start. */
const MORE_MEMORY = 1.05;

const lacks = (a: readonly string[], b: readonly string[]): boolean => a.some((item) => !b.includes(item));

/** What was not told before is not known to be smaller. */
const isMore = (before: number | null | undefined, now: number | null | undefined): boolean =>
  before !== undefined && before !== null && now !== undefined && (now === null || now > before);

/** The refusals (`refused-words.ts`) that wider limits may take back. */
export function widened(before: Limits, now: Limits): Set<string> {
  const wider = new Set<string>();
  const add = (isWider: boolean, ...reasons: string[]): void => {
    if (isWider) for (const reason of reasons) wider.add(reason);
  };
  const wasIncluding = before.include.length > 0;
  add(
    isMoreOpen(before.rules ?? [], now.rules ?? []) ||
      REACH.indexOf(now.scope) > REACH.indexOf(before.scope) ||
      (wasIncluding && (now.include.length === 0 || lacks(now.include, before.include))) ||
      lacks(before.exclude, now.exclude),
    ...['scope', 'rules', 'include', 'exclude'],
  );
  add(now.depth > before.depth, 'depth');
  add(isMore(before.budget, now.budget) || isMore(before.seedBudget, now.seedBudget), 'budget');
  for (const name of ['hosts', 'queries', 'length', 'repeat'] as const) add(isMore(before[name], now[name]), name);
  add(before.memory?.some((bytes, i) => isMore(bytes * MORE_MEMORY, now.memory?.[i])) ?? false, 'full');
  add(lacks(before.blocklist ?? [], now.blocklist ?? []), 'blocked');
  return wider;
}
