/** What `saunter plan` may be told: each input with its default, and how it is read. */
import { UserError } from '../errors.js';
import { formatDuration, formatSize, parseDuration, parseSize } from '../units.js';
import { amount, percent } from './plan-numbers.js';

interface Input {
  /** What its value is called in `--help`. */
  readonly value: string;
  readonly initial: string;
  readonly says: string;
  readonly read: (text: string) => number;
  readonly least: number;
  readonly most: number;
  readonly example: string;
  /** A limit as a person would write it. */
  readonly shown: (value: number) => string;
  /** What leaves it open: to whoever computes (`auto`), or that there is no such thing (`none`). */
  readonly open?: 'auto' | 'none';
}

/** Of what has no limit of its own. */
const MOST = 1e18;

type Limits = Partial<Pick<Input, 'least' | 'most'>>;

const SUFFIXES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12 };

/** `1B`, `2.5M`, `10k`, `1e9`, `100,000`. NaN for anything else. */
function parseCount(text: string): number {
  const match = /^(\d[\d,_]*(?:\.\d+)?(?:e\d{1,2})?)([kmbgt]?)$/i.exec(text.trim());
  return match === null ? Number.NaN : Number(match[1].replace(/[,_]/g, '')) * SUFFIXES[match[2].toLowerCase()];
}

const parseShare = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  return match === null ? Number.NaN : Number(match[1]) / (match[2] === '' ? 1 : 100);
};

/** `1Gbps`, `400 Gbit/s`: bits a second. */
const parseBits = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:bps|bit\/s)$/i.exec(text.trim());
  return match === null ? Number.NaN : Number(match[1]) * SUFFIXES[match[2].toLowerCase()];
};

const many = (initial: string, says: string, limits: Limits = {}): Input => ({
  ...{ value: 'N', initial, says, read: parseCount, example: 'a number such as 10k, 5M, 1B or 1e9' },
  shown: amount,
  ...{ least: 1, most: MOST, ...limits },
});
const time = (initial: string, says: string, limits: Limits = {}): Input => ({
  ...{ value: 'D', initial, says, read: parseDuration, example: 'a duration such as 300ms, 10s or 30d' },
  shown: formatDuration,
  ...{ least: 1, most: 3650 * 86_400_000, ...limits },
});
const bytes = (initial: string, says: string): Input => ({
  ...{ value: 'SIZE', initial, says, read: parseSize, example: 'a size such as 100KB, 2MB or 64GiB' },
  shown: formatSize,
  ...{ least: 1, most: MOST },
});
const share = (initial: string, says: string, limits: Limits = {}): Input => ({
  ...{ value: 'SHARE', initial, says, read: parseShare, example: 'a share such as 1% or 0.5' },
  shown: percent,
  ...{ least: 0, most: 1, ...limits },
});

const open = (word: 'auto' | 'none', input: Input): Input => ({ ...input, initial: word, open: word });

export const INPUTS = {
  pages: many('1B', 'Pages to fetch.'),
  period: time('30d', 'In how long.', { least: 1000 }),
  peak: many('2', 'The peak rate, in multiples of the mean.'),
  'page-size': bytes('100KB', 'A page as it comes over the wire.'),
  'fetch-time': time('200ms', 'From the request to the last byte of its answer.'),
  delay: time('1s', 'The gap after a fetch that is owed at least.', { least: 0 }),
  factor: many('10', 'The gap in multiples of the fetch time, if that is longer.', { least: 0, most: 1000 }),
  gap: open('auto', time('', 'From one hit on a host to the next; auto is the fetch time and what is owed after it.')),
  hosts: open('none', many('', 'Hosts that there are.')),
  'largest-host': open('none', many('', 'Pages of the largest of them.')),
  budget: many('10k', 'Pages of one host in 30 days.'),
  'back-queues': many('65,536', 'Hosts in play at once, at most.'),
  urls: open('auto', many('', 'URLs that will be known; auto is five for each page.')),
  kept: open('auto', many('', 'Pages that are kept; auto is all that are fetched.')),
  'key-bytes': many('8', 'Bytes of a key in an exact set.', { most: 64 }),
  'bloom-error': share('1%', 'New URLs that a Bloom filter may lose.', { least: 1e-12, most: 0.5 }),
  'bloom-bits': many('20', 'Bits a key of a Bloom filter that is sized so.', { most: 64 }),
  'bloom-keys': open('auto', many('', 'Keys that such a filter is made for; auto is all URLs.')),
  overfill: many('2', 'How it fares with so many times as many.', { most: 100 }),
  links: many('100', 'Links on a page.'),
  branching: many('10', 'Of these, new ones.', { least: 1.01 }),
  depth: many('16', 'The depth cap.', { most: 1000 }),
  'dns-hits': share('97%', 'Look-ups that the cache of addresses answers.'),
  changes: many('1', 'Changes of a page from one visit to the next.', { least: 0 }),
  'not-modified': bytes('500B', 'A 304 over the wire.'),
  'stored-size': bytes('20KB', 'A page as it is stored, compressed.'),
  copies: many('1', 'Copies of the archive.'),
  'disk-size': open('none', bytes('', 'Disk of one machine.')),
  memory: open('auto', bytes('', 'Memory of one machine; auto is what this one has.')),
  link: {
    ...many('1Gbps', 'Network of one machine.'),
    read: parseBits,
    value: 'RATE',
    example: 'a rate such as 1Gbps',
  },
  utilisation: share('30%', 'Of which so much can be used.', { least: 0.001 }),
  cpu: time('2ms', 'CPU time of a page, fetch to commit.'),
  machines: many('1', 'Machines.'),
} as const satisfies Record<string, Input>;

export type InputName = keyof typeof INPUTS;
/** Durations in ms, sizes in bytes, shares 0 to 1, rates in bits a second; NaN where it is left open. */
export type Inputs = Record<InputName, number>;

export const INPUT_NAMES = Object.keys(INPUTS) as InputName[];

/** Reads what was given; the rest is as in the table.
 * @throws UserError (usage) for a value that makes no sense */
export function readInputs(flags: ReadonlyMap<string, string>): Inputs {
  const inputs = {} as Inputs;
  for (const name of INPUT_NAMES) {
    const input: Input = INPUTS[name];
    const text = flags.get(name) ?? input.initial;
    inputs[name] = text === input.open ? Number.NaN : input.read(text);
    if (text === input.open || (inputs[name] >= input.least && inputs[name] <= input.most)) continue;
    throw new UserError(`--${name} cannot be "${text}": give ${allowed(input, inputs[name])}.`, 2);
  }
  if (Number.isNaN(inputs.urls)) inputs.urls = URLS_PER_PAGE * inputs.pages;
  return inputs;
}

/** Known URLs for each page that is fetched (seed A: 5 billion for a billion). */
const URLS_PER_PAGE = 5;

/** Of a value that could be read, which limit it breaks; of another, how one is written. */
function allowed({ example, least, most, shown }: Input, value: number): string {
  if (Number.isNaN(value)) return example;
  if (most !== MOST) return `a value from ${shown(least)} to ${shown(most)}`;
  return value < least ? `at least ${shown(least)}` : `at most ${shown(most)}`;
}
