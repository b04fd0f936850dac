import { OPTION_NAMES, type OptionName, optionOf } from '../config/config.js';
import type { ValueOrigin } from '../config/load-config.js';
import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import { formatCount } from '../units.js';
import { type Arguments, type CommandSpec, OPTIONS_WITH_FLAGS } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { CONFIG_FLAG, type Configured, configured } from './configured.js';
import { cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'config',
  says: 'The options in force, each with its value and where that comes from; nothing is fetched.',
  operands: '[option...]',
  mostOperands: Number.POSITIVE_INFINITY,
  flags: [
    CONFIG_FLAG,
    { name: 'changed', says: 'Only the options that are not at their default.' },
    { name: 'json', says: 'One line of JSON instead of columns.' },
  ],
  options: OPTIONS_WITH_FLAGS,
  fileOptions: 'explained',
  examples: [
    ['saunter config', 'What a crawl in this folder would do, with the config file that lies here.'],
    [
      'saunter config --changed --config news.yaml --delay 2s',
      'What that file and that flag change, and on which line.',
    ],
    ['saunter config timeout.dns timeout.connect', 'Two of them.'],
  ],
  notes: [
    'A flag wins over the config file, the file over the default. A name may be nested or dotted: "timeout: {dns: 3s}" and ' +
      '"timeout.dns: 3s" say the same. A file that is a module (.js, .mjs, .ts, .mts) may also hold functions: ' +
      'score, handlers by content type, and hooks (fetch, outcome, score). docs/configuration.md has every option.',
  ],
};

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const names = args.operands.length > 0 ? args.operands.map(known) : OPTION_NAMES;
  const found = await configured(args, null);
  const shown = names.filter((name) => !args.flags.has('changed') || found.origins.has(name));
  if (args.flags.has('json')) {
    const options = Object.fromEntries(shown.map((name) => [name, record(name, found)]));
    const functions = Object.keys(found.functions);
    terminal.print(JSON.stringify({ file: found.file, options, functions }));
    return 0;
  }
  terminal.print(found.file === null ? 'No config file.' : `Config file: ${cleanLine(found.file)}`);
  const rows = shown.map((name) => [name, valueText(name, found), originText(name, found)] as const);
  const widths = [0, 1].map((column) => Math.min(36, Math.max(0, ...rows.map((row) => row[column].length))));
  let group = '';
  for (const [name, value, origin] of rows) {
    if (optionOf(name).group !== group) {
      group = optionOf(name).group;
      terminal.print(`\n${terminal.bold(group)}`);
    }
    terminal.print(cleanLine(`  ${name.padEnd(widths[0])}  ${value.padEnd(widths[1])}  ${origin}`));
  }
  for (const name of Object.keys(found.functions)) terminal.print(`\nThe function ${name} of ${found.file} is called.`);
  if (rows.length === 0) terminal.print('Every option is at its default.');
  return 0;
}

/** @throws UserError (usage) for an option that there is not */
function known(name: string): OptionName {
  const found = OPTION_NAMES.find((option) => option === name || `--${optionOf(option).flag}` === name);
  if (found !== undefined) return found;
  const near = nearest(name, OPTION_NAMES);
  const hint = near === null ? 'saunter config lists all' : `the nearest is ${near}`;
  throw new UserError(`There is no option "${name}"; ${hint}.`, 2);
}

/** A value as a config file would hold it, and who gave it. */
function record(name: OptionName, { config, origins }: Configured): Record<string, unknown> {
  const value = optionOf(name).write(config[name]);
  const origin: ValueOrigin | undefined = origins.get(name);
  if (origin === undefined) return { value, source: 'default' };
  if (origin.by === 'file') return { value, source: 'file', line: origin.line };
  if (origin.by === 'flag') return { value, source: 'flag', flag: `--${optionOf(name).flag}` };
  return { value, source: 'option', option: origin.option };
}

function valueText(name: OptionName, { config }: Configured): string {
  const value = optionOf(name).write(config[name]);
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'number' && Number.isInteger(value)) return formatCount(value);
  if (!Array.isArray(value)) return String(value);
  return value.map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item))).join(', ');
}

function originText(name: OptionName, { origins, file }: Configured): string {
  const origin = origins.get(name);
  if (origin === undefined) return 'default';
  if (origin.by === 'flag') return `--${optionOf(name).flag}`;
  if (origin.by === 'option') return `follows ${origin.option}`;
  return origin.line === null ? String(file) : `${file}, line ${origin.line}`;
}
