/**
 * The kinds of option values: how each is read from a flag or a file, and how its range is said. The table that uses
 * them is `config.ts`.
 */
import { formatCount, formatDuration, parseDuration, parseSize, writtenSize } from '../units.js';

/** How an option appears on the command line. */
interface Flag {
  /** `max-pages` for `--max-pages`. */
  readonly flag?: string;
  /** The name of the value in `--help`, such as `N`. */
  readonly value?: string;
}

interface Traits extends Flag {
  /** Enters the key of a URL: frozen when a crawl begins. */
  readonly frozen?: true;
  /** Named by the design, but nothing obeys it yet: refused when it is set, absent from `--help` and the reference. */
  readonly pending?: true;
}

/** One option. `read` gives the typed value, or {@link Refused}. */
export interface Option<T> extends Traits {
  readonly initial: T;
  /** The default as a person would write it. */
  readonly shown: string;
  /** What is allowed, as the end of "give ...": `a duration from 0 to 1h, such as 300ms`. */
  readonly allowed: string;
  /** One sentence: what it does. */
  readonly says: string;
  /** May be given more than once. */
  readonly repeats: boolean;
  /** It is a duration, or a list of them. */
  readonly isTime?: true;
  /** The heading under which the reference lists it. */
  readonly group: string;
  read(value: unknown): T | Refused;
  /** A value as a config file would hold it: `read` gives it back. */
  write(value: T): unknown;
}

/** A value that is not allowed; in a list, the item at fault. */
export class Refused {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Items of a list that each have a fault of their own. */
export class RefusedItems extends Refused {
  readonly items: readonly { readonly index: number; readonly words: string }[];
  readonly #noun: string;
  /** @param noun what an item is, such as `Rule`
   * @param items their places from 0, and what is wrong with each: the end of "Rule 2 ..." */
  constructor(value: unknown, noun: string, items: RefusedItems['items']) {
    super(value);
    this.#noun = noun;
    this.items = items;
  }

  /** @param place where the item of that index stands: `my.yaml, line 7` */
  sentence({ index, words }: RefusedItems['items'][number], place: (index: number) => string): string {
    return `${this.#noun} ${index + 1} (in ${place(index)}) ${words}.`;
  }
}

/** Puts options under a heading. */
export function group<T extends Record<string, Option<unknown>>>(title: string, options: T): T {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, group: title }])) as T;
}

const DURATIONS = ['300ms', '5s', '10m', '1h30m', '12h', '7d'];
const SIZES = ['64KiB', '1.5MiB', '128MiB', '1.5GiB'];

/** The first few of some examples that the range allows, as words. */
function examples(
  of: readonly string[],
  parse: (text: string) => number,
  [min, max]: readonly [number, number],
  most: number,
): string {
  const fit = of.filter((text) => parse(text) >= min && parse(text) <= max).slice(0, most);
  return fit.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** Milliseconds. */
export function duration(initial: string, min: string, max: string, says: string, traits: Traits = {}): Option<number> {
  const limits = [parseDuration(min), parseDuration(max)] as const;
  return {
    ...blank(says, traits),
    initial: parseDuration(initial),
    isTime: true,
    shown: initial,
    allowed: `a duration from ${min} to ${max}, such as ${examples(DURATIONS, parseDuration, limits, 3)}`,
    read: (value) => within(value, parseDuration(value), limits),
    write: durationText,
  };
}

/** Bytes. */
export function size(initial: string, min: string, max: string, says: string, traits: Traits = {}): Option<number> {
  const limits = [parseSize(min), parseSize(max)] as const;
  return {
    ...blank(says, traits),
    initial: parseSize(initial),
    shown: writtenSize(parseSize(initial)),
    allowed: `a size from ${min} to ${max}, such as ${examples(SIZES, parseSize, limits, 2)}`,
    read: (value) => within(value, parseSize(value), limits),
    write: (bytes) => exactly(bytes, writtenSize(bytes), parseSize) ?? `${bytes}B`,
  };
}

/** A count as it is shown. */
const GROUPED = /^\d{1,3}(?:,\d{3})+$/;

/** A whole number; `10,000` is taken as it is shown. */
export function count(initial: number, min: number, max: number, says: string, traits: Traits = {}): Option<number> {
  return {
    ...blank(says, traits),
    initial,
    shown: formatCount(initial),
    allowed: `a whole number from ${formatCount(min)} to ${formatCount(max)}`,
    read: (value) => {
      const number = decimal(typeof value === 'string' && GROUPED.test(value) ? value.replaceAll(',', '') : value);
      return Number.isInteger(number) ? within(value, number, [min, max]) : new Refused(value);
    },
  };
}

/** A number that need not be whole. */
export function amount(initial: number, min: number, max: number, says: string, traits: Traits = {}): Option<number> {
  return {
    ...blank(says, traits),
    initial,
    shown: String(initial),
    allowed: `a number from ${min} to ${max}`,
    read: (value) => within(value, decimal(value), [min, max]),
  };
}

/** A share, as a number from 0 to 1; written `80%` or `0.8`. */
export function share(initial: string, says: string, traits: Traits = {}): Option<number> {
  const read = (value: unknown): number | Refused => {
    const percent = typeof value === 'string' && value.endsWith('%');
    return within(value, percent ? decimal(value.slice(0, -1)) / 100 : decimal(value), [0, 1]);
  };
  return {
    ...blank(says, traits),
    initial: read(initial) as number,
    shown: initial,
    allowed: 'a share from 0% to 100%',
    read,
    write: (value) => `${Number((100 * value).toPrecision(12))}%`,
  };
}

/** One of a few words. */
export function choice<const C extends string>(
  initial: NoInfer<C>,
  choices: readonly C[],
  says: string,
  traits: Traits = {},
): Option<C> {
  return {
    ...blank(says, traits),
    initial,
    shown: initial,
    allowed: `one of ${choices.join(', ')}`,
    read: (value) => choices.find((word) => word === value) ?? new Refused(value),
  };
}

/** A text that `check` accepts (returning its normal spelling) or refuses (returning null); unset by default. */
export function text(
  allowed: string,
  check: (value: string) => string | null,
  says: string,
  traits: Traits = {},
): Option<string | null> {
  const read = (value: unknown) => (typeof value === 'string' ? check(value) : null) ?? new Refused(value);
  return { ...blank(says, traits), initial: null, shown: 'none', allowed, read };
}

/** A list of texts, each accepted by `check`. On the command line the flag repeats. */
export function texts(
  initial: readonly string[],
  allowed: string,
  check: (value: string) => string | null,
  says: string,
  traits: Traits = {},
): Option<readonly string[]> {
  const readItem = (item: unknown) => (typeof item === 'string' ? check(item) : null) ?? new Refused(item);
  const shown = initial.length > 0 ? initial.join(', ') : 'none';
  return { ...blank(says, traits), initial, shown, allowed, repeats: true, read: listOf(readItem, 0, 10_000) };
}

/** A ladder of at most eight waits, first to last: that many attempts are counted. */
export function durations(
  initial: readonly string[],
  max: string,
  says: string,
  traits: Traits = {},
): Option<readonly number[]> {
  const limits = [0, parseDuration(max)] as const;
  return {
    ...blank(says, traits),
    initial: initial.map(parseDuration),
    isTime: true,
    shown: initial.join(', '),
    allowed: `a list of 1 to 8 durations up to ${max}, such as ["30s", "2m"]`,
    read: listOf((item) => within(item, parseDuration(item), limits), 1, 8),
    write: (values) => values.map(durationText),
  };
}

/** Also accepts `off`, which reads as Infinity. */
export function orOff(option: Option<number>, initial: 'off' | 'as given' = 'as given'): Option<number> {
  return {
    ...option,
    ...(initial === 'off' ? { initial: Number.POSITIVE_INFINITY, shown: 'off' } : {}),
    allowed: `${option.allowed}, or off`,
    read: (value) =>
      value === 'off' || value === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : option.read(value),
    write: (value) => (value === Number.POSITIVE_INFINITY ? 'off' : option.write(value)),
  };
}

/** Also accepts `auto`, which is the default: the program finds the value when it starts. */
export function orAuto(option: Option<number>): Option<number | 'auto'> {
  return {
    ...option,
    initial: 'auto',
    shown: 'auto',
    allowed: `${option.allowed}, or auto`,
    read: (value) => (value === 'auto' ? 'auto' : option.read(value)),
    write: (value) => (value === 'auto' ? 'auto' : option.write(value)),
  };
}

const blank = (says: string, traits: Traits) => ({
  ...{ says, repeats: false, group: '', write: (value: unknown): unknown => value },
  ...traits,
});

/** Milliseconds as a text that reads back as the same number. */
const durationText = (ms: number): string => exactly(ms, formatDuration(ms), parseDuration) ?? `${ms}ms`;

const exactly = (value: number, text: string, parse: (text: string) => number): string | null =>
  parse(text) === value ? text : null;

function within(value: unknown, number: number, [min, max]: readonly [number, number]): number | Refused {
  return number >= min && number <= max ? number : new Refused(value);
}

function decimal(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
}

function listOf<T>(readItem: (item: unknown) => T | Refused, least: number, most: number) {
  return (value: unknown): readonly T[] | Refused => {
    const items = Array.isArray(value) ? value : [value];
    if (items.length < least || items.length > most) return new Refused(value);
    const read = items.map(readItem);
    const refused = read.find((item) => item instanceof Refused);
    return refused ?? (read as T[]);
  };
}
