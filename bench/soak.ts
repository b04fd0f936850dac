/** `npm run soak -- crawl|fuzz|kill|sim|zoo [flags]`: the long forms of the proofs, each by seed. See README.md in this folder. */
import { soakCrawl } from './soak-crawl.js';
import { soakFuzz } from './soak-fuzz.js';
import { soakKill } from './soak-kill.js';
import { soakSim } from './soak-sim.js';
import { soakZoo } from './soak-zoo.js';

/** Each gets its own flags and says whether all went well. */
const SOAKS: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = {
  crawl: soakCrawl,
  fuzz: soakFuzz,
  kill: soakKill,
  sim: soakSim,
  zoo: soakZoo,
};

const [name = '', ...args] = process.argv.slice(2);
const soak = Object.hasOwn(SOAKS, name) ? SOAKS[name] : undefined;
if (soak === undefined) {
  process.stderr.write(`There is no soak "${name}": choose ${Object.keys(SOAKS).join(' or ')}.\n`);
  process.exitCode = 2;
} else {
  process.exitCode = (await soak(args)) ? 0 : 1;
}
