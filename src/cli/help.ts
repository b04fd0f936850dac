/** The text of `saunter COMMAND --help`, from the description of the command and the table of options. */
import { OPTION_NAMES, type OptionName, optionOf } from '../config/config.js';
import { type CommandSpec, type FlagSpec, flagsOf, usageOf } from './arguments.js';

/** The text of `saunter COMMAND --help`. */
export function helpOf(spec: CommandSpec, bold: (text: string) => string, columns = 100): string {
  const examples = spec.examples.flatMap(([command, says]) => [
    `  ${bold(command)}`,
    ...wrap(says, columns - 6).map((line) => `      ${line}`),
  ]);
  return [
    ...wrap(spec.says, columns),
    '',
    `Usage: ${usageOf(spec)}`,
    ...(examples.length > 0 ? ['', 'Examples:', ...examples] : []),
    '',
    ...flagLines(spec, columns),
    ...fileOptions(spec, columns),
    ...(spec.notes ?? []).flatMap((note) => ['', ...wrap(note, columns)]),
  ].join('\n');
}

/** Rows of two columns, the second wrapped. */
function table(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const left = Math.min(34, Math.max(...rows.map(([first]) => first.length)) + 2);
  return rows.flatMap(([first, second]) => {
    const [head = '', ...tail] = wrap(second, Math.max(30, columns - left - 2));
    const indent = ' '.repeat(left + 2);
    const lines = first.length + 2 > left ? [`  ${first}`, `${indent}${head}`] : [`  ${first.padEnd(left)}${head}`];
    return [...lines, ...tail.map((line) => `${indent}${line}`)];
  });
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function flagUsage(flag: FlagSpec): string {
  return flag.value === undefined ? `--${flag.name}` : `--${flag.name} ${flag.value}`;
}

/** Options from which on those of the configuration stand under headings of their own. */
const MANY = 8;

/** The flags of a command; those of the configuration by subject where there are many. */
function flagLines(spec: CommandSpec, columns: number): string[] {
  const flags = [...flagsOf(spec).values()];
  const rows = (some: readonly FlagSpec[]) => table(some.map((flag) => [flagUsage(flag), flag.says]), columns); // biome-ignore format: short
  if (spec.options.length < MANY) return ['Options:', ...rows(flags)];
  const byFlag = new Map(spec.options.map((name) => [optionOf(name).flag, optionOf(name).group]));
  const own = flags.filter(({ name }) => !byFlag.has(name));
  const groups = [...new Set(byFlag.values())];
  const ofGroup = (group: string) => flags.filter(({ name }) => byFlag.get(name) === group);
  return ['Options:', ...rows(own), ...groups.flatMap((group) => ['', `${group}:`, ...rows(ofGroup(group))])];
}

/** Options that only a config file can set, by subject. */
function fileOptions({ fileOptions: how }: CommandSpec, columns: number): string[] {
  if (how === undefined) return [];
  const names = OPTION_NAMES.filter((name) => optionOf(name).flag === undefined);
  const groups = [...new Set(names.map((name) => optionOf(name).group))];
  const ofGroup = (group: string) => names.filter((name) => optionOf(name).group === group);
  if (how === 'named') {
    const rows = groups.map((group) => [group, ofGroup(group).join(', ')] as const);
    return ['', 'In the config file only (saunter config --help explains each):', ...table(rows, columns)];
  }
  return groups.flatMap((group) => ['', `${group}, in the config file only:`, ...table(ofGroup(group).map(explained), columns)]); // biome-ignore format: short
}

function explained(name: OptionName): [string, string] {
  const { says, shown, allowed } = optionOf(name);
  const initial = shown === 'none' ? '' : ` Default: ${shown}.`;
  return [name, `${says} ${allowed.charAt(0).toUpperCase()}${allowed.slice(1)}.${initial}`];
}
