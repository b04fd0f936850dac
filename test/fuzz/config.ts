/** Configuration: whatever a file or a flag says is either a value in its range or a usage error that names it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OPTION_NAMES, OPTIONS } from '../../src/config/config.js';
import { frozenDifference, frozenOptions, loadConfig } from '../../src/config/load-config.js';
import { UserError } from '../../src/errors.js';
import type { FuzzTarget } from './target.js';

interface Case {
  /** JSON text: what a file may hold and an object may not (`__proto__`). */
  readonly file: string;
  readonly flags: Readonly<Record<string, string | readonly string[]>>;
}

const words = fc.constantFrom(
  ...[
    'off',
    'auto',
    '0',
    '1',
    '-1',
    '1s',
    '1h30m',
    '5 s',
    '64MiB',
    '1e400',
    'NaN',
    '',
    'any',
    'host',
    '*.test=127.0.0.0/8',
    '10.0.0.0/8',
    '::/0',
    'me@example.org',
    'http://x.example/',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '\0',
    '\n',
    '%',
    '[',
    'a'.repeat(300),
    '9'.repeat(400),
    '0x10',
    '1_000',
    '\u0661',
    '1.5',
    '100%',
    '1d',
    '3651d',
  ],
);
const value = fc.oneof(
  words,
  fc.constantFrom<unknown[]>(null, true, 0, -1, 1, 0.5, 1e21, 4294967296, [], {}, ''),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(words, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 4 }),
);
const names = [
  ...OPTION_NAMES,
  ...Object.keys(OPTIONS),
  'timeout',
  '__proto__',
  'constructor.prototype',
  'body.text',
  'nothing',
  '',
  'TIMEOUT.DNS',
];

export const configTarget: FuzzTarget<Case> = {
  name: 'config',
  suiteRuns: 600,
  cases: () =>
    fc.record({
      file: fc.oneof(
        {
          weight: 3,
          arbitrary: fc
            .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 3 })
            .map(
              (entries) => `{${entries.map(([name, v]) => `${JSON.stringify(name)}:${JSON.stringify(v)}`).join(',')}}`,
            ),
        },
        { weight: 1, arbitrary: fc.jsonValue().map((v) => JSON.stringify(v)) },
      ),
      flags: fc.dictionary(
        fc.constantFrom(
          'scope',
          'delay',
          'max-pages',
          'budget',
          'include',
          'resolve',
          'dns',
          'contact',
          'allow-private',
          'nothing',
          '__proto__',
        ),
        fc.oneof(words, fc.array(words, { maxLength: 2 })),
        { maxKeys: 2 },
      ),
    }),
  check({ file, flags }) {
    const before = Object.keys(Object.prototype).length;
    let first: ReturnType<typeof loadConfig>;
    try {
      first = loadConfig(JSON.parse(file), flags);
    } catch (error) {
      assert.ok(error instanceof UserError && error.exitCode === 2, `an error of another kind: ${error}`);
      assert.ok(error.message.length < 10_000 && /[.]$/.test(error.message), error.message);
      return;
    } finally {
      assert.equal(Object.keys(Object.prototype).length, before);
    }
    assert.ok(Object.isFrozen(first));
    assert.deepEqual(Object.keys(first).sort(), Object.keys(OPTIONS).sort());
    for (const [name, v] of Object.entries(first)) {
      assert.ok(v !== undefined && !Number.isNaN(v), `${name} is ${v}`);
      if (typeof v === 'number') assert.ok(v >= 0, `${name} is ${v}`);
    }
    const second = loadConfig(JSON.parse(file), flags);
    assert.deepEqual(second, first);
    assert.equal(frozenDifference(frozenOptions(first), second), null);
  },
};
