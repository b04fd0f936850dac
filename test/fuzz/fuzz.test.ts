import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCorpus } from './corpus.js';
import type { KeptCase } from './target.js';
import { TARGETS } from './targets.js';

const corpus = loadCorpus();
const KEPT = resolve('test/fuzz/kept');

describe('generated cases keep every promise of', () => {
  test.each(TARGETS.map((target) => [target.name, target] as const))('%s', async (_, target) => {
    const property = fc.asyncProperty(target.cases(corpus), (input) => Promise.resolve(target.check(input)));
    await fc.assert(property, { numRuns: target.suiteRuns });
  });
});

describe('a case that broke a promise once keeps it now', () => {
  const files = readdirSync(KEPT).filter((name) => name.endsWith('.json'));
  test.each(files)('%s', async (file) => {
    const kept = JSON.parse(readFileSync(join(KEPT, file), 'utf8')) as KeptCase;
    const target = TARGETS.find(({ name }) => name === kept.target);
    expect(target).toBeDefined();
    await target?.check(kept.input);
  });
});
