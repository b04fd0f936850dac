/** How full memory is, for admission (DESIGN 4, Memory). */
import { totalmem } from 'node:os';
import type { Config } from '../config/config.js';
import { LEVELS } from '../frontier/url-table.js';

/** `memory.limit: auto` is this share of the machine. */
const SHARE = 0.6;
/** ms between two looks: one costs some 20 us. */
const EVERY = 100;

/** Bytes that the process may take: the option, or a share of the machine or of what the system's limits leave of it. */
export function memoryLimit(config: Pick<Config, 'memory.limit'>): number {
  if (config['memory.limit'] !== 'auto') return config['memory.limit'];
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  return SHARE * (constrained > 0 && constrained < total ? constrained : total);
}

type Limits = Pick<Config, 'memory.limit' | 'memory.refuseLevel4' | 'memory.refuseLevel3'>;

/** Gives the best level that admission refuses; LEVELS (none) while there is room.
 * @param now monotonic ms
 * @param resident bytes that the process takes, all its threads together */
export function memoryGauge(
  config: Limits,
  now: () => number,
  resident: () => number = () => process.memoryUsage.rss(),
): () => number {
  const limit = memoryLimit(config);
  const [from4, from3] = [config['memory.refuseLevel4'] * limit, config['memory.refuseLevel3'] * limit];
  let at = Number.NEGATIVE_INFINITY;
  let level: number = LEVELS;
  return () => {
    const time = now();
    if (time < at + EVERY) return level;
    at = time;
    const bytes = resident();
    level = bytes >= from3 ? 3 : bytes >= from4 ? 4 : LEVELS;
    return level;
  };
}
