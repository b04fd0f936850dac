/** The two forms of the kill test: the small one of `npm test`, and the big one of `npm run soak -- kill`. */
import { type KillPlan, MOMENTS } from './kill.js';

/** Small archive files and checkpoints, so that closings are frequent and a restart has both, and short retries, so that what
 * a kill has charged an attempt does not wait half a minute. */
const CONFIG = { 'segment.bytes': '64KiB', 'checkpoint.rows': 1500, 'retry.ladder': ['1s', '2s', '4s', '8s'] };

/** 40 hosts x 15 pages, 300 ms apart. What a host owes after a crash is 2 s here instead of 10, or ten kills would not
 * fit into a minute; the big form keeps the 10 s. */
export const SMALL: Omit<KillPlan, 'crawler' | 'dir'> = {
  ...{ hosts: 40, pages: 15, delay: 300, moments: MOMENTS, progress: 0.03, seed: 1, deadline: 60_000 },
  config: { ...CONFIG, 'unclean.owe': '2s' },
};

/** 200 hosts x 50 pages, 1 s apart. */
export const BIG: Omit<KillPlan, 'crawler' | 'dir'> = {
  ...{ hosts: 200, pages: 50, delay: 1000, moments: MOMENTS, progress: 0.03, seed: 1, deadline: 900_000 },
  patience: '15s',
  config: CONFIG,
};
