/** `saunter simulate --freshness`: how fresh pages are under each policy of visiting them again. */
import { UserError } from '../errors.js';
import type { RateClass } from '../revisit/freshness.js';
import { type FreshnessOptions, freshnessText, runFreshness } from '../sim/freshness.js';
import type { Arguments } from './arguments.js';
import type { ExitCode, World } from './command.js';

export const FRESHNESS_FLAGS = [
  { name: 'freshness', says: 'How fresh pages stay under each policy of revisits, against the closed formulas.' },
  {
    name: 'mix',
    value: 'RATES',
    says: 'With --freshness: changes per interval and their weights, such as 5:20,1:40,0.1:40.',
  },
];

const KNOWN: ReadonlySet<string> = new Set(['freshness', 'mix', 'seed', 'json']);
const MOST_CLASSES = 100;

/** @param seed decides when pages change
 * @throws UserError (usage) for flags that have no meaning here, and for a mix that is none */
export function simulateFreshness({ flags, options }: Arguments, { terminal }: World, seed: number): ExitCode {
  const odd = [...flags.keys(), ...Object.keys(options)].find((name) => !KNOWN.has(name));
  if (odd !== undefined) throw new UserError(`--${odd} has no meaning with --freshness: leave one of them out.`, 2);
  const mix = flags.get('mix');
  const chosen: Partial<FreshnessOptions> = { seed, ...(mix !== undefined && { mix: readMix(mix) }) };
  const report = runFreshness(chosen);
  terminal.print(flags.has('json') ? JSON.stringify(report) : freshnessText(report));
  return 0;
}

function readMix(text: string): RateClass[] {
  const classes = text.split(',').map((part) => {
    const [, rate, weight] = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(part.trim()) ?? [];
    return { rate: Number(rate), weight: Number(weight) };
  });
  const isMix = classes.every(({ rate, weight }) => rate >= 0 && rate <= 10_000 && weight > 0 && weight <= 1e9);
  if (isMix && classes.length <= MOST_CLASSES && classes.some(({ rate }) => rate > 0)) return classes;
  throw new UserError(
    `--mix cannot be "${text}": give pairs RATE:WEIGHT of changes per interval (0 to 10,000), such as 5:20,1:40,0.1:40.`,
    2,
  );
}
