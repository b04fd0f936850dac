/** Every command line that a page or a `--help` shows, put to the real table of commands and options. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/arguments.js';
import { built, root } from '../support/saunter.js';
import { shellCommands } from '../support/shell-words.js';

// the built program: its modules are many, and need no translation
const { parseArguments } = await built<typeof import('../../src/cli/arguments.js')>('cli/arguments.js');
const { UserError } = await built<typeof import('../../src/errors.js')>('errors.js');
const { loadConfig } = await built<typeof import('../../src/config/load-config.js')>('config/load-config.js');

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md'].concat(
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
);
const COMMANDS = new Map<string, CommandSpec>();
for (const file of readdirSync(join(root, 'dist/cli')).filter((name) => name.endsWith('.js'))) {
  const module = await built<{ spec?: CommandSpec }>(`cli/${file}`);
  if (module.spec?.name !== undefined) COMMANDS.set(module.spec.name, module.spec);
}

/** What follows `saunter` in a simple command, however the program is called there; null for another program. */
function argumentsOf(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex((word) => !/^(?:\$|npx|sudo|nohup|exec|[A-Z_]+=.*)$/.test(word));
  if (words[at] === 'node' && words[at + 1]?.endsWith('bin/saunter.js')) return words.slice(at + 2);
  return /^(?:ExecStart=)?(?:\S*\/)?saunter$/.test(words[at] ?? '') ? words.slice(at + 1) : null;
}

/** What is wrong with a command line, or null. `values`: look at the values of options, too, which a pattern such as `--dir DIR` has none of. */
function faultOf(argv: readonly string[], values: boolean): string | null {
  const [name, ...rest] = argv;
  if (name === undefined || /^(?:--help|--version|help|COMMAND|<command>)$/.test(name)) return null;
  const spec = COMMANDS.get(name);
  if (spec === undefined) return `there is no command ${name}`;
  try {
    const args = parseArguments(spec, rest.map((word) => word.replace(/^\[|\]$/g, ''))); // biome-ignore format: short
    if (values) loadConfig({}, args.options);
    return null;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

const fences = (text: string): string[] =>
  [...text.matchAll(/^ *```(?:sh|bash|shell|console|ini)?\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block);
const inline = (text: string): string[] =>
  [...text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`(?:npx )?saunter ([^`]+)`/g)].map(([, words]) => words.replace(/\s+/g, ' ')); // biome-ignore format: short

describe('the command lines of the documentation', () => {
  const shown = pages.map((page) => [page, readFileSync(join(root, page), 'utf8')] as const);

  test('in blocks: each names a command, options and values that there are', () => {
    const lines = shown.flatMap(([page, text]) =>
      fences(text)
        .flatMap(shellCommands)
        .map((words) => [page, argumentsOf(words)] as const),
    );
    const ours = lines.filter(([, argv]) => argv !== null);
    expect(ours.length).toBeGreaterThan(20);
    const faults = ours.map(([page, argv]) => [page, argv!.join(' '), faultOf(argv!, true)]);
    expect(faults.filter(([, , fault]) => fault !== null)).toEqual([]);
  });

  test('in sentences: each names a command and options that there are', () => {
    const lines = shown.flatMap(([page, text]) => inline(text).map((words) => [page, words] as const));
    expect(lines.length).toBeGreaterThan(50);
    const faults = lines.map(([page, words]) => {
      const known = words.replace(/\.\.\.|,$| \| .*/g, '').split(' ').filter((word) => word !== ''); // biome-ignore format: short
      return [page, words, faultOf(known, false)];
    });
    expect(faults.filter(([, , fault]) => fault !== null)).toEqual([]);
  });

  test('in --help: each example can be given as it stands', () => {
    const faults = [...COMMANDS.values()].flatMap(({ name, examples }) =>
      examples.flatMap(([line]) =>
        shellCommands(line)
          .map(argumentsOf)
          .filter((argv) => argv !== null)
          .map((argv) => [name, line, faultOf(argv, true)]),
      ),
    );
    expect(faults.length).toBeGreaterThan(COMMANDS.size);
    expect(faults.filter(([, , fault]) => fault !== null)).toEqual([]);
  });

  test('an option that is not there is found', () => {
    const [words] = shellCommands('npx saunter crawl "https://a.test/" --max-page 5 > out.txt  # no such option');
    expect(argumentsOf(words)).toEqual(['crawl', 'https://a.test/', '--max-page', '5']);
    expect(faultOf(argumentsOf(words)!, true)).toContain('the nearest is --max-pages');
    expect(faultOf(['crawl', '--delay', 'soon'], true)).toContain('--delay cannot be "soon"');
  });
});
