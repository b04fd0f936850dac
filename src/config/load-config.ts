/** Reading the configuration of a run: the table of `config.ts`, under a config file, under flags. */

import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import { type Config, OPTION_NAMES, OPTIONS, type OptionName, optionOf, optionOfFlag } from './config.js';
import { Refused, RefusedItems } from './kinds.js';
import { Mistakes, quote } from './mistakes.js';

/** Values of flags by flag name (`max-pages`), as they came from the command line. */
export type FlagValues = Readonly<Record<string, string | readonly string[]>>;

/** Nested objects of a config file deeper than this hold no option. */
const DEEPEST = 4;

/** Where values come from: what messages call it, and the line of an option in it, or of an item of a list (`rules[0]`),
 * from 1; null if nobody knows. */
export interface ConfigSource {
  readonly name: string;
  lineOf(option: string): number | null;
  /** A number without a unit is refused for a duration: a person who writes `delay: 2` means two seconds, and would get 2 ms. */
  readonly wantsUnits?: true;
  /** What its reader found wrong, a sentence each, asked for when it is told. */
  readonly mistakes?: readonly (() => string)[];
}

/** Who gave an option its value; for one that nobody gave, the default did. */
export type ValueOrigin =
  | { readonly by: 'file'; readonly line: number | null }
  | { readonly by: 'flag' }
  | { readonly by: 'option'; readonly option: OptionName };

/**
 * The configuration of a run: flags win over the file, the file over the defaults.
 *
 * @param file what the config file holds: option names to values, nested (`{"timeout": {"dns": "3s"}}`) or dotted
 *   (`{"timeout.dns": "3s"}`). A number is bytes for a size, and milliseconds for a duration unless the source wants units.
 * @param flags values of those flags that stand for options
 * @param source how messages call the file; where they should name lines, who knows them
 * @throws UserError (usage) that tells all mistakes: the option, the value and what is allowed; or an unknown option and
 *   the nearest known one
 */
export function loadConfig(
  file: unknown = {},
  flags: FlagValues = {},
  source: string | ConfigSource = 'the configuration',
): Config {
  return loadConfigWithOrigins(file, flags, source).config;
}

/** The same, and who gave each value that is not the default.
 * @throws UserError (usage) as {@link loadConfig} */
export function loadConfigWithOrigins(
  file: unknown,
  flags: FlagValues,
  source: string | ConfigSource,
): { config: Config; origins: ReadonlyMap<OptionName, ValueOrigin> } {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(OPTIONS) as OptionName[]) values[name] = optionOf(name).initial;
  const origins = new Map<OptionName, ValueOrigin>();
  const mistakes = new Mistakes();
  const wrong = new Set<OptionName>();
  const { name: fileName, lineOf, mistakes: found = [], wantsUnits }: ConfigSource = typeof source === 'string' ? { name: source, lineOf: () => null } : source; // biome-ignore format: short
  const placeOf = (at: string): string => {
    const line = lineOf(at);
    return line === null ? fileName : `${fileName}, line ${line}`;
  };
  const accept = (name: OptionName, value: unknown, label: string, origin: ValueOrigin) => {
    const option = optionOf(name);
    const read = option.read(value);
    origins.set(name, origin);
    const bare = wantsUnits && origin.by === 'file' && option.isTime ? bareNumber(value) : null;
    if (bare !== null) {
      wrong.add(name);
      mistakes.add(() => `${label} cannot be ${bare}, which has no unit: give ${option.allowed}.`);
    } else if (read instanceof Refused) {
      wrong.add(name);
      if (read instanceof RefusedItems)
        for (const item of read.items) mistakes.add(() => read.sentence(item, (index) => placeOf(`${name}[${index}]`)));
      else mistakes.add(() => `${label} cannot be ${quote(read.value)}: give ${option.allowed}.`);
    } else values[name] = read;
  };
  for (const words of found) mistakes.add(words);
  for (const [given, value] of flatten(file, fileName)) {
    const line = lineOf(given);
    const place = placeOf(given);
    if (origins.has(given as OptionName)) mistakes.add(() => `${given} is given twice in ${place}: nested and dotted.`);
    else if (isKnown(given))
      accept(given, value, `${given} in ${place}${line === null ? '' : ','}`, { by: 'file', line });
    else mistakes.add(() => unknown(given, place));
  }
  for (const [flag, value] of Object.entries(flags)) {
    const name = optionOfFlag(flag);
    if (name === null) mistakes.add(() => `There is no option --${flag}.`);
    else accept(name, value, `--${flag}`, { by: 'flag' });
  }

  if (!origins.has('seedBudget') && (origins.has('budget') || values.scope === 'any')) {
    values.seedBudget = values.budget;
    origins.set('seedBudget', { by: 'option', option: origins.has('budget') ? 'budget' : 'scope' });
  }
  const config = values as unknown as Config;
  for (const [smaller, larger] of PAIRS) {
    if (config[smaller]! > config[larger]! && !wrong.has(smaller) && !wrong.has(larger))
      mistakes.add(() => `${smaller} cannot be larger than ${larger}.`);
  }
  mistakes.refuse();
  return { config: Object.freeze(config), origins };
}

/** A number for a duration, or in a list of them, that says no unit; 0 needs none. */
function bareNumber(value: unknown): number | null {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return (
    items.find((item): item is number => typeof item === 'number' && item > 0 && item < Number.POSITIVE_INFINITY) ??
    null
  );
}

/** Options that only make sense in this order. */
const PAIRS: readonly (readonly [smaller: OptionName, larger: OptionName])[] = [
  ['worker.heartbeat', 'worker.deadAfter'],
  ['robots.retry', 'robots.retryCap'],
  ['resolver.ttlMin', 'resolver.ttlMax'],
  ['frontier.backQueues', 'frontier.backQueuesMax'],
  ['memory.refuseLevel4', 'memory.refuseLevel3'],
  ['delay', 'host.penaltyCap'],
];

/**
 * What a crawl must have that leaves this machine: an address where site owners can complain, and a delay.
 *
 * @param host the first host beyond loopback that the crawl goes to, or null if there is none
 * @throws UserError (usage)
 */
export function checkReach(config: Config, host: string | null): void {
  if (host === null) return;
  if (config.delay === 0) {
    throw new UserError(
      `--delay 0 is for crawls of this machine only, and ${host} is not on it: give a delay such as 1s.`,
      2,
    );
  }
  if (config.contact === null) {
    throw new UserError(
      `A crawl of ${host} needs --contact: a URL or mail address where the owners of sites can reach you.`,
      2,
    );
  }
}

/** Threads for each core beyond which more only cost memory: a page worker keeps a core busy. */
const WORKERS_PER_CORE = 16;

/**
 * Asked before threads are started.
 * @param cores of this machine
 * @throws UserError (usage) for more page workers than the machine has any use for
 */
export function checkWorkers({ workers }: Config, cores: number): void {
  const most = WORKERS_PER_CORE * cores;
  if (workers === 'auto' || workers <= most) return;
  throw new UserError(
    `--workers ${workers} is too much for this machine: one worker keeps a core busy, and ${most} is the most for ${cores} cores. ` +
      'Give fewer, or leave it out for one per core.',
    2,
  );
}

/** `Saunter/0.1.0 (+mailto:me@example.org)` (DESIGN 6): printable ASCII, since a contact is (`normalizeContact`). Without one
 * there is no parenthesis, which is for loopback only. */
export function userAgent(version: string, contact: string | null): string {
  return contact === null ? `Saunter/${version}` : `Saunter/${version} (+${contact})`;
}

/** The options that enter the keys of URLs, as one text: stored when a crawl begins, compared when it is resumed. */
export function frozenOptions(config: Config): string {
  return JSON.stringify(OPTION_NAMES.filter((name) => optionOf(name).frozen).map((name) => [name, config[name]]));
}

/**
 * What differs between two {@link frozenOptions}, in words, or null.
 * @param stored those of the crawl directory
 */
export function frozenDifference(stored: string, config: Config): string | null {
  const before = new Map(JSON.parse(stored) as [string, unknown][]);
  for (const [name, value] of JSON.parse(frozenOptions(config)) as [string, unknown][]) {
    const was = before.get(name);
    if (JSON.stringify(was) !== JSON.stringify(value)) {
      return `${name} was ${JSON.stringify(was)} when this crawl began and is ${JSON.stringify(value)} now`;
    }
  }
  return null;
}

/** Dotted names of a nested object, with their values. */
function flatten(file: unknown, fileName: string): [name: string, value: unknown][] {
  const flat: [string, unknown][] = [];
  const visit = (value: unknown, path: string, depth: number) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || depth > DEEPEST) {
      if (path === '') throw new UserError(`${capital(fileName)} must hold an object of options.`, 2);
      flat.push([path, value]);
      return;
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, path === '' ? key : `${path}.${key}`, depth + 1);
  };
  visit(file, '', 0);
  return flat;
}

const isKnown = (name: string): name is OptionName => OPTION_NAMES.includes(name as OptionName);

function unknown(name: string, place: string): string {
  if (Object.hasOwn(OPTIONS, name)) return `${name} in ${place} is not available in this version yet.`;
  const owner = OPTION_NAMES.find((option) => name.startsWith(`${option}.`));
  if (owner !== undefined)
    return `${owner} in ${place}, cannot hold ${quote(name.slice(owner.length + 1))}: give ${optionOf(owner).allowed}.`;
  const near = nearest(name, OPTION_NAMES);
  return `There is no option ${quote(name)} (in ${place})${near ? `; the nearest is ${near}` : ''}.`;
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
