import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../src/config/file.js';
import { jsonFault } from '../../src/config/json.js';
import { loadConfig } from '../../src/config/load-config.js';
import { distrust } from '../../src/config/stranger.js';
import { UserError } from '../../src/errors.js';
import { FakeProcess } from '../cli/process.js';
import { saunter, start } from '../support/saunter.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** What a crawl would be told of that file: the sentence of a usage error. */
async function refusal(name: string, text: string): Promise<string> {
  try {
    const read = await readConfigFile(file(name, text));
    loadConfig(read.values, {}, { ...read, name });
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).exitCode).toBe(2);
    return (error as UserError).message.replaceAll(join(folder, name), name);
  }
  throw new Error('nothing was refused');
}

describe('a config file', () => {
  it('says in YAML what it says in JSON', async () => {
    const json = '\uFEFF{"delay": "2s", "timeout": {"dns": "3s"}, "budget": "off", "exclude": ["*/a/*", "*/b/*"]}';
    const yaml = '# ours\ndelay: 2s\ntimeout:\n  dns: 3s\nbudget: off\nexclude: ["*/a/*", "*/b/*"]\n';
    const [a, b] = [await readConfigFile(file('a.json', json)), await readConfigFile(file('a.yaml', yaml))];
    expect(b.values).toEqual(a.values);
    expect(loadConfig(b.values)).toMatchObject({ delay: 2000, 'timeout.dns': 3000, budget: Number.POSITIVE_INFINITY });
    expect([b.lineOf('delay'), b.lineOf('timeout.dns'), b.lineOf('exclude'), b.lineOf('scope')]).toEqual([
      2,
      4,
      6,
      null,
    ]);
  });

  it('may be empty, or hold remarks only', async () => {
    expect((await readConfigFile(file('empty.yaml', '# nothing\n'))).values).toEqual({});
  });

  it.each([
    [
      'x.yaml',
      'delay: 2s\ntimeuot:\n  dns: 3s\n',
      'There is no option "timeuot.dns" (in x.yaml, line 3); the nearest is timeout.dns.',
    ],
    ['x.yaml', '\ndelay: 2 parsecs\n', 'delay in x.yaml, line 2, cannot be "2 parsecs": give a duration from 0 to 1h'],
    [
      'x.yaml',
      'delay: 2\n',
      'delay in x.yaml, line 1, cannot be 2, which has no unit: give a duration from 0 to 1h, such as 300ms',
    ],
    [
      'x.json',
      '{"timeout": {"dns": 3000}}',
      'timeout.dns in x.json, line 1, cannot be 3000, which has no unit: give a duration',
    ],
    [
      'x.yaml',
      'retry.ladder: [30s, 120]\n',
      'retry.ladder in x.yaml, line 1, cannot be 120, which has no unit: give a list',
    ],
    ['x.mjs', 'export default { delay: 2000 }', 'delay in x.mjs cannot be 2000, which has no unit: give a duration'],
    ['x.yml', 'delay:\n', 'delay in x.yml, line 1, cannot be null'],
    ['x.yaml', 'delay: 1s\n\ndelay: 2s\n', '"delay" is given twice (in x.yaml, lines 1 and 3): keep one.'],
    [
      'x.yaml',
      'timeout: {dns: 1s}\ntimeout.dns: 2s\n',
      'timeout.dns is given twice in x.yaml, line 2: nested and dotted.',
    ],
    ['x.yaml', 'delay: [1s\n', 'x.yaml is not YAML, line 2, column 1: a list [ ] or object { } is not closed, or a'],
    ['x.yaml', 'a: b: c\n', 'x.yaml is not YAML, line 1, column 4: a second colon on one line, or a line that is'],
    [
      'x.yaml',
      'timeout:\n\tdns: 1s\n',
      'x.yaml is not YAML, line 2, column 1: a line is indented by a tab: use spaces ("',
    ],
    ['x.yaml', 'delay: *there\n', 'x.yaml cannot be read: Unresolved alias'],
    ['x.yaml', '- delay\n', 'X.yaml must hold an object of options.'],
    [
      'x.json',
      '{\n"delay": "1s",\n"dealy": "2s"}',
      'There is no option "dealy" (in x.json, line 3); the nearest is delay.',
    ],
    ['x.json', '{\n"delay": "1s",\n"delay": "2s"}', '"delay" is given twice (in x.json, lines 2 and 3): keep one.'],
    ['x.json', 'delay: 1s', 'x.json is not JSON, line 1, column 1: a value is missing here'],
    ['x.json', '{"delay":\n"1s",\n', 'x.json is not JSON, line 3, column 1: the file ends too early.'],
    [
      'x.json',
      '{"delay": "1s",\n  // slow\n}',
      'x.json is not JSON, line 2, column 3: JSON has no comments: YAML has.',
    ],
    ['x.json', '{"delay": "1s",\n}', 'x.json is not JSON, line 2, column 1: a comma stands before this }.'],
    [
      'x.json',
      "{'delay': 1}",
      'x.json is not JSON, line 1, column 2: texts stand in double quotes, not in single ones.',
    ],
    ['x.json', '{"delay": 1\n"depth": 2}', 'x.json is not JSON, line 2, column 1: a comma or } is missing here.'],
    ['a.mjs', 'export default 5', 'a.mjs has no options: export default { delay: '],
    ['b.mjs', 'export const delay = 1', 'b.mjs has no options'],
    ['c.mjs', 'throw new Error("not today")', 'The config file c.mjs cannot be loaded: not today.'],
    ['d.mjs', 'export default { hooks: { fecth() {} } }', 'There is no hook "fecth" (in d.mjs); the nearest is fetch.'],
    ['e.mjs', 'export default { hooks: { score: 3 } }', 'The hook score in e.mjs is not a function.'],
    ['f.mjs', 'export default { handlers: { "x/y": 5 } }', 'The handler of x/y in f.mjs is neither a function nor'],
    ['g.mjs', 'export default { delay: () => 1 }', 'delay in g.mjs cannot be () => 1: give a duration'],
    ['i.mjs', 'export default { maxPages: 10n }', 'maxPages in i.mjs cannot be 10n: give a whole number'],
    ['j.mjs', 'const a = []; a.push(a); export default { delay: a }', 'delay in j.mjs cannot be this list: give a'],
    ['h.mjs', 'export default { dealy: "1s" }', 'There is no option "dealy" (in h.mjs); the nearest is delay.'],
  ])('%s that holds %j is refused with its line and what is right', async (name, text, words) => {
    expect(await refusal(name, text)).toContain(words);
  });

  it('with many mistakes is told all of them at once, each with its line and what is right', async () => {
    const text = 'dealy: 1s\nscope: planet\ntimeout:\n  dns: soon\n  dns: 1s\nworker.heartbeat: 1m\nretry.ladder: []\n';
    expect((await refusal('many.yaml', text)).split('\n')).toEqual([
      'The configuration has 5 mistakes:',
      '- "dns" is given twice (in many.yaml, lines 4 and 5): keep one.',
      '- There is no option "dealy" (in many.yaml, line 1); the nearest is delay.',
      '- scope in many.yaml, line 2, cannot be "planet": give one of any, domain, host, prefix.',
      expect.stringMatching(/^- retry\.ladder in many\.yaml, line 7, cannot be \[\]: give /),
      '- worker.heartbeat cannot be larger than worker.deadAfter.',
    ]);
    const hooks = 'export default { dealy: 1, hooks: { fecth() {}, score: 3 }, handlers: { "x/y": 5 } }';
    const lines = (await refusal('many.mjs', hooks)).split('\n');
    expect(lines).toHaveLength(5);
  });

  it.each(['yaml', 'json'])('of 90,000 keys in %s is refused in seconds, with the first mistakes', async (ending) => {
    const keys = Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`);
    const began = performance.now();
    const words = await refusal(`keys.${ending}`, `{${keys.join(',')}}`);
    expect(words).toMatch(/^The configuration has 90,000 mistakes:\n- There is no option "k0" \(in keys/);
    expect(words).toMatch(/\n- and 89,980 more\.$/);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('that is not there, or no file, is named', async () => {
    await expect(readConfigFile(join(folder, 'none.yaml'))).rejects.toThrow(
      'none.yaml cannot be read: there is no such file.',
    );
    await expect(readConfigFile(folder)).rejects.toThrow('cannot be read: it is not a file.');
  });

  it('cannot be nested without end', async () => {
    expect(await refusal('deep.yaml', '['.repeat(20_000))).toMatch(
      / line 1, column \d+: lists or objects lie too deep/,
    );
  });

  it('cannot make a YAML bomb of its aliases', async () => {
    const lines = [
      'a0: &a0 [x]',
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
    ];
    await expect(readConfigFile(file('bomb.yaml', lines.join('\n')))).rejects.toThrow('alias');
  });

  it('that is a module gives its functions to those who call them, and its handlers by its own path', async () => {
    const text =
      'export default { delay: "2s", score: () => 2, hooks: { fetch: () => true }, handlers: { "X/y": () => ({}), "a/b": "./b.js" } }';
    const path = file('all.mjs', text);
    const { values, functions } = await readConfigFile(path);
    expect(values).toEqual({ delay: '2s', handlers: [`X/y=${path}`, 'a/b=./b.js'] });
    expect(Object.keys(functions).sort()).toEqual(['fetch', 'score']);
  });
});

it('a config file in TypeScript is read where Node strips types; elsewhere the message says what to do', async () => {
  const path = file(
    'types.config.ts',
    "export default { delay: '2s' as const, score: ({ depth }: { depth: number }) => depth };\n",
  );
  const { code, out, err } = await saunter(['config', '--json', '--changed', '--config', path]);
  if ((process.features as { typescript?: unknown }).typescript) {
    expect([code, JSON.parse(out).functions]).toEqual([0, ['score']]);
    expect(out).toContain('"delay":{"value":"2s","source":"file","line":null}');
  } else {
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /is TypeScript, which Node [\d.]+ does not read: use Node 22\.18 or newer, or write it .* as \S+\.mjs\.$/m,
    );
  }
});

it('a config file that awaits what never comes is a fault with words', async () => {
  const path = file('never.mjs', 'await new Promise(() => {});\nexport default {};\n');
  const { code, err } = await start(['config', '--config', path]).over;
  expect([code, err]).toEqual([2, expect.stringContaining('cannot be loaded: it awaits something that never comes.')]);
});

describe('JSON', () => {
  it('has a fault with a place exactly where JSON.parse finds one', () => {
    const parses = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n',
      'true',
      'null',
      '-1.5e3',
      '01',
      '"a"',
      '"\\u00e4"',
      "'",
      '//',
      '.',
    );
    const damaged = fc
      .tuple(fc.json(), fc.nat(), piece, fc.nat({ max: 2 }))
      .map(
        ([text, at, cut, drop]) =>
          text.slice(0, at % (text.length + 1)) + cut + text.slice((at % (text.length + 1)) + drop),
      );
    const texts = fc.oneof(
      fc.json(),
      damaged,
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const fault = jsonFault(text);
        expect(fault === null, text).toBe(parses(text));
        if (fault !== null) expect(fault.offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a config file that nobody named', () => {
  const ours = [1000];
  const file = (uid: number, mode = 0o100644) => ({ uid, mode });

  it.each([
    [file(1000), file(1000), null],
    [file(0), file(0), null],
    [file(1000, 0o100664), file(1000), null],
    [file(1001), file(1001), 'belongs to another user (1001)'],
    [file(1000), file(1001, 0o120777), 'belongs to another user (1001)'],
    [file(1001), file(1000, 0o120777), 'belongs to another user (1001)'],
    [file(1000, 0o100666), file(1000), 'can be written by every user of this machine'],
  ])('%j behind %j: %j', (itself, name, why) => {
    expect(distrust(itself, name, ours)).toBe(why);
  });

  it('is not read if everybody may write to it, and is once it is named', async () => {
    const here = mkdtempSync(join(folder, 'here-'));
    const path = join(here, 'saunter.config.mjs');
    writeFileSync(path, 'export default { delay: "7s" };\n');
    const run = (...argv: string[]) => start(['config', '--json', 'delay', ...argv], { cwd: here }).over;
    expect((await run()).out).toContain('"7s"');
    chmodSync(path, 0o666);
    const { code, err } = await run();
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /^The config file saunter\.config\.mjs of this folder can be written by every user .* \(--config saunter\.config\.mjs\); --config off goes without\.$/m,
      ),
    ]);
    expect((await run('--config', 'saunter.config.mjs')).out).toContain('"7s"');
    expect((await run('--config', 'off')).out).toContain('"1s"');
    if (process.geteuid?.() !== 0) return;
    chmodSync(path, 0o644);
    chownSync(path, 12_345, 12_345);
    expect((await run()).err).toContain('belongs to another user (12345), and could run programs as you');
  });
});

describe('saunter config', () => {
  const yaml = () => file('shown.yaml', 'delay: 2s\ntimeout: {dns: 61s}\nbudget: 50\n');

  it('shows each value with where it comes from', async () => {
    const { code, out, err } = await new FakeProcess().run('config', '--config', yaml(), '--max-pages', '7');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^ {2}delay +2s +\S*shown\.yaml, line 1$/m);
    expect(out).toMatch(/^ {2}timeout\.dns +1m1s +\S*shown\.yaml, line 2$/m);
    expect(out).toMatch(/^ {2}maxPages +7 +--max-pages$/m);
    expect(out).toMatch(/^ {2}seedBudget +50 +follows budget$/m);
    expect(out).toMatch(/^ {2}depth +16 +default$/m);
  });

  it('gives the same as JSON, and only what changed, or what was asked for', async () => {
    const run = async (...argv: string[]) => JSON.parse((await new FakeProcess().run('config', '--json', ...argv)).out);
    expect(await run('--config', yaml(), '--changed', '--delay', '3s')).toEqual({
      file: join(folder, 'shown.yaml'),
      options: {
        budget: { value: 50, source: 'file', line: 3 },
        seedBudget: { value: 50, source: 'option', option: 'budget' },
        delay: { value: '3s', source: 'flag', flag: '--delay' },
        'timeout.dns': { value: '1m1s', source: 'file', line: 2 },
      },
      functions: [],
    });
    expect(Object.keys((await run('retry.ladder')).options)).toEqual(['retry.ladder']);
  });

  it('prints a count as the help does, and a file may hold what is printed', async () => {
    const { out } = await new FakeProcess().run('config', 'budget');
    expect(out).toMatch(/^ {2}budget +10,000 +default$/m);
    const read = await readConfigFile(file('grouped.yaml', 'budget: "12,345"\nmaxPages: 1,000,000\n'));
    expect(loadConfig(read.values)).toMatchObject({ budget: 12_345, maxPages: 1_000_000 });
    for (const wrong of ['1,00', '1,5', ',100', '1,000.5'])
      expect(() => loadConfig({ budget: wrong })).toThrow('budget in');
  });

  it('answers an unknown option with the nearest', async () => {
    const { code, err } = await new FakeProcess().run('config', 'timeuot.dns');
    expect([code, err]).toEqual([2, 'There is no option "timeuot.dns"; the nearest is timeout.dns.\n']);
  });
});
