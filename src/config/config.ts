/**
 * Every option: its default, unit, range and what it does. Flags, the config file, `docs/configuration.md` and
 * `--help` are derived from this table, whose parts lie beside it; nothing else in the program
 * knows a default. Inside the program durations are milliseconds, sizes bytes, shares 0 to 1, and `off` is Infinity.
 */

import type { Option } from './kinds.js';
import { DOCUMENTS, FRONTIER, THREADS_MEMORY } from './machine.js';
import { FETCHING, NAME_RESOLUTION } from './network.js';
import { DASHBOARD_API, LOGS_TRACES } from './observe.js';
import { FAILURES, POLITENESS, ROBOTS } from './politeness.js';
import { DUPLICATES_REVISITS } from './repeats.js';
import { URLS_TRAPS, WHAT_TO_CRAWL, WHEN_TO_STOP } from './scope.js';
import { STORAGE } from './storage.js';

/** In the order of the reference. */
export const OPTIONS = {
  ...WHAT_TO_CRAWL,
  ...WHEN_TO_STOP,
  ...POLITENESS,
  ...FAILURES,
  ...ROBOTS,
  ...FETCHING,
  ...NAME_RESOLUTION,
  ...DASHBOARD_API,
  ...LOGS_TRACES,
  ...THREADS_MEMORY,
  ...DOCUMENTS,
  ...FRONTIER,
  ...URLS_TRAPS,
  ...STORAGE,
  ...DUPLICATES_REVISITS,
};

export type OptionName = keyof typeof OPTIONS;
export type Config = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends Option<infer Value> ? Value : never;
};

/** The options that work, in the order of the table. */
export const OPTION_NAMES = (Object.keys(OPTIONS) as OptionName[]).filter((name) => !optionOf(name).pending);

export function optionOf(name: OptionName): Option<unknown> {
  return OPTIONS[name];
}

/** The option behind a flag (`max-pages`), or null. */
export function optionOfFlag(flag: string): OptionName | null {
  return OPTION_NAMES.find((name) => optionOf(name).flag === flag) ?? null;
}
