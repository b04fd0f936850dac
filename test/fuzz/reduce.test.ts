import { expect, test } from 'vitest';
import { reduced } from './reduce.js';

test('a case that fails is made as small as what makes it fail', async () => {
  const fails = (input: { file: string; other: number }) =>
    Promise.resolve(input.file.includes('<a') && input.file.includes('x>'));
  const input = { file: `${'words '.repeat(2_000)}<a href=${'y'.repeat(500)}x>${' tail'.repeat(300)}`, other: 3 };
  const small = await reduced(input, fails, () => true);
  expect(small.other).toBe(3);
  expect(small.file.length).toBeLessThan(30);
  expect(await fails(small)).toBe(true);
});

test('the search for a smaller case ends when it is told to', async () => {
  let tries = 0;
  const small = await reduced(
    'x'.repeat(1_000),
    () => Promise.resolve(true),
    () => ++tries <= 3,
  );
  expect(small.length).toBeLessThan(1_000);
});
