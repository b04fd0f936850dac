/** The whole zoo, crawled by the real program with shortened times. The long form is `npm run soak -- zoo`. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { program, removeScratches, root, scratch } from '../support/saunter.js';
import { visitZoo } from './visit.js';
import { allBeasts } from './zoo.js';

afterAll(removeScratches);

/** Production waits are up to 30 s, and up to 15 min before a retry. These are long enough for a busy machine. */
const SHORT = {
  'timeout.tls': '5s',
  'timeout.firstByte': '5s',
  'timeout.slow': '4s',
  'retry.ladder': ['50ms'],
  delay: '20ms',
  'politeness.factorCap': '200ms',
  patience: '2s',
  budget: 20,
};
/** MiB. Here all large answers come within a few seconds; a crawl with production delays must stay under 400. */
const MEMORY = 450;

test('there are at least 45 kinds, each with a name of its own, and each says what it does and what must come of it', async () => {
  const beasts = await allBeasts();
  expect(new Set(beasts.map(({ name }) => name)).size).toBe(beasts.length);
  expect(beasts.length).toBeGreaterThanOrEqual(45);
  expect(beasts.filter(({ does, must }) => does.length < 10 || must.length < 8)).toEqual([]);
});

test('a crawl of all hostile servers ends by itself in bounded memory, with each host as its table says', {
  timeout: 120_000,
}, async () => {
  const { problems, peak } = await visitZoo({
    ...{ program, certificates: join(root, 'test/fixtures/tls'), scratch: scratch() },
    ...{ config: SHORT, deadline: 90_000 },
  });
  expect(problems).toEqual([]);
  if (peak !== null) expect(peak).toBeLessThan(MEMORY);
});
