/** Seed files: a list of URLs that can be crawled, or a usage error that names the line; however the bytes come. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { directoryOf, readSeeds } from '../../src/cli/seeds.js';
import { UserError } from '../../src/errors.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly file: string;
  readonly cuts: readonly number[];
}

const SOURCES = [
  '\xef\xbb\xbf# seeds\nhttps://example.org/\nexample.com/docs\r\nlocalhost:8080\rhttp://b\xc3\xbccher.example/\xc3\xa9?q=1#f\n\n  https://[::1]:8080/x  \nhttp://1.2.3.4\n',
  'https://a.example/\nhttps://b.example/x\nc.example:99\n',
];
const PIECES = [
  '\n',
  '\r',
  '\r\n',
  '#',
  ' ',
  '\t',
  '\0',
  'http://',
  'mailto:x@y',
  '//',
  '..',
  '\\',
  '../..',
  '\xff',
  '\xe2\x80\xa8',
  'u:p@',
  ':0',
  ':99999',
  '.',
  '[',
  '%00',
  'xn--',
];

async function read(parts: readonly Buffer[]): Promise<string[] | string> {
  try {
    const { seeds } = await readSeeds([], '-', Readable.from(parts));
    const all: string[] = [];
    for await (const seed of seeds) all.push(seed);
    return all;
  } catch (error) {
    assert.ok(error instanceof UserError && error.exitCode === 2, `an error of another kind: ${error}`);
    return error.message;
  }
}

export const seedsTarget: FuzzTarget<Case> = {
  name: 'seeds',
  suiteRuns: 300,
  cases: () => fc.record({ file: mutated(SOURCES, PIECES, 1_000, 5), cuts: fc.array(fc.nat(1_000), { maxLength: 4 }) }),
  async check({ file, cuts }) {
    const bytes = bytesOf(file);
    const result = await read([bytes]);
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    const parts = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
    assert.deepEqual(
      await read(parts.filter((part) => part.length > 0)),
      result,
      'the seeds depend on how the bytes came',
    );
    if (typeof result === 'string') {
      assert.match(result, /line \d+ of standard input/);
      return;
    }
    for (const seed of result) {
      assert.match(new URL(seed).protocol, /^https?:$/);
      assert.match(directoryOf(seed), /^saunter-[a-z0-9._-]+$/i);
    }
  },
};
