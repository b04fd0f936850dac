import { expect, it } from 'vitest';
import { z } from 'zod';
import { faultOf } from '../../src/serve/api-faults.js';

const schema = z.strictObject({
  urls: z.array(z.string().max(10)).min(1).max(2),
  priority: z.int().min(0).max(4).optional(),
  sort: z.enum(['name', 'bytes']).optional(),
});

it.each<[unknown, string[]]>([
  [{}, ['urls is missing: give a list']],
  [{ urls: [] }, ['urls has to have at least 1 entries']],
  [{ urls: ['12345678901'] }, ['urls.0 has to have at most 10 characters']],
  [{ urls: [5], priority: 1.5 }, ['urls.0 has to be a text', 'priority has to be a whole number']],
  [{ urls: ['x'], priority: 9 }, ['priority has to be at most 4']],
  [{ urls: ['x'], sort: 'size' }, ['sort has to be one of name, bytes']],
  [{ urls: ['x'], url: 1 }, [' there is no url']],
  [5, [' has to be an object in JSON']],
])('%j is answered with what is wrong with it', (body, words) => {
  const issues = schema.safeParse(body).error?.issues ?? [];
  expect(issues.map(faultOf).map(({ at, message }) => `${at} ${message}`)).toEqual(words);
});
