import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/arguments.js';
import { flagsOf } from '../../src/cli/arguments.js';
import { KINDS } from '../../src/cli/inspect-kinds.js';
import { optionOf } from '../../src/config/config.js';
import { built, saunter } from '../support/saunter.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const scripts = { bash: '', zsh: '', fish: '' };
let commands: CommandSpec[] = [];
beforeAll(async () => {
  mkdirSync(join(folder, 'a folder'));
  writeFileSync(join(folder, 'seeds.txt'), '');
  commands = await (await built<typeof import('../../src/cli/main.js')>('cli/main.js')).commandSpecs();
  for (const shell of Object.keys(scripts) as (keyof typeof scripts)[]) {
    const { code, out } = await saunter(['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = out;
    writeFileSync(join(folder, shell), out);
  }
});

/** What bash offers for each line, with the cursor at its end. */
function bashOffers(lines: readonly string[]): string[][] {
  const asking = lines.map((line) => {
    // as readline splits it: = is a word of its own
    const words = line.split(/(?<== ?)|(?==)| /).map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _saunter; printf '%s\\n' "\${COMPREPLY[@]}" --end--`;
  });
  const script = `source '${join(folder, 'bash')}'\ncompopt() { :; }\ncd '${folder}'\n${asking.join('\n')}`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('--end--\n').slice(0, -1).map((text) => text.split('\n').filter((word) => word !== '')); // biome-ignore format: short
}

describe('completion', () => {
  it('in bash offers commands, flags, words, files and folders where each may stand', () => {
    const cases: [string, string[]][] = [
      ['saunter cra', ['crawl']],
      ['saunter list v', ['visits']],
      ['saunter crawl --scop', ['--scope']],
      ['saunter crawl --scope ', ['any', 'domain', 'host', 'prefix']],
      ['saunter crawl --scope=p', ['prefix']],
      ['saunter crawl --scope=', ['any', 'domain', 'host', 'prefix']],
      ['saunter crawl --delay ', []],
      ['saunter crawl --dir ', ['a folder']],
      ['saunter crawl --seeds s', ['seeds.txt']],
      ['saunter export --format par', ['parquet']],
      ['saunter export --format jsonl', ['jsonl', 'jsonl.gz']],
      ['saunter status ', ['a folder']],
      ['saunter inspect rob', ['robots']],
      ['saunter import s', ['seeds.txt']],
      ['saunter config timeout.d', ['timeout.dns']],
      ['saunter help exp', ['export']],
      ['saunter nothing --', []],
    ];
    expect(bashOffers(cases.map(([line]) => line))).toEqual(cases.map(([, offers]) => offers));
  });

  it.each(['bash', 'zsh', 'fish'] as const)('%s accepts its script', (shell) => {
    const { status, stderr, error } = spawnSync(shell, ['-n', join(folder, shell)], { encoding: 'utf8' });
    const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    if (isMissing && shell !== 'bash') {
      // without that shell: no quote is left open, each line is of a known form
      for (const line of scripts[shell].trimEnd().split('\n')) {
        expect((line.replaceAll("'\\''", '').replaceAll("\\'", '').match(/'/g) ?? []).length % 2, line).toBe(0);
        if (shell === 'fish') expect(line).toMatch(/^(?:#|complete -c saunter )/);
      }
      return;
    }
    expect([status, stderr]).toEqual([0, '']);
  });

  it('knows every flag of every command, in every shell', () => {
    for (const spec of commands) {
      for (const name of flagsOf(spec).keys()) {
        expect(scripts.bash).toContain(`--${name}`);
        expect(scripts.zsh).toContain(`--${name}`);
        expect(scripts.fish).toContain(`__fish_seen_subcommand_from ${spec.name}" -l ${name} `);
      }
    }
    expect(commands.length).toBeGreaterThan(15);
  });

  it('offers every word that a flag takes', () => {
    const asked: [string, string[]][] = [];
    for (const spec of commands) {
      for (const { name, value = '' } of flagsOf(spec).values()) {
        const words = value.split('|');
        // what stands in capitals is a word for any value
        if (words.length > 1 && words.every((word) => word === word.toLowerCase()))
          asked.push([`saunter ${spec.name} --${name} `, words]);
      }
    }
    expect(asked.length).toBeGreaterThan(10);
    expect(bashOffers(asked.map(([line]) => line))).toEqual(asked.map(([, words]) => words));
    for (const [line, words] of asked)
      expect([line, scripts.zsh.includes(`:(${words.join(' ')})`)]).toEqual([line, true]);
  });

  it.each([
    [[], 'For which shell? saunter completion bash|zsh|fish.'],
    [['bahs'], 'There is no completion for "bahs"; the nearest is bash: saunter completion bash|zsh|fish.'],
  ])('answers %j with the shells that there are', async (shell, sentence) => {
    expect(await saunter(['completion', ...shell])).toEqual({ code: 2, out: '', err: `${sentence}\n` });
  });
});

describe('--help', () => {
  it('teaches every command by examples', async () => {
    for (const { name, examples, flags, options } of commands) {
      const { code, out } = await saunter([name, '--help']);
      expect(code, name).toBe(0);
      expect(out).toContain(`Usage: saunter ${name}`);
      expect(out).toMatch(new RegExp(`^  .*\\bsaunter ${name}\\b`, 'm'));
      for (const [command] of examples) expect(out).toContain(`  ${command}\n`);
      // each kind of inspect has a help of its own: those have the flags
      const kinds = name === 'inspect' ? await Promise.all([...KINDS.keys()].map((kind) => saunter([name, kind, '--help']))) : []; // biome-ignore format: short
      const all = [out, ...kinds.map((kind) => kind.out)].join('\n');
      for (const flag of [...flags.map((flag) => flag.name), ...options.map((option) => optionOf(option).flag)])
        expect(all).toContain(`--${flag}`);
      const words = out.split('\n').filter((line) => !examples.some(([command]) => line === `  ${command}`));
      expect(Math.max(...words.map((line) => line.length)), name).toBeLessThanOrEqual(100);
      expect((await saunter(['help', name])).out).toBe(out);
    }
  });
});
