/** The command line: flags and operands, from a description of each command (`help.ts` has its `--help`). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OPTION_NAMES, type OptionName, optionOf } from '../config/config.js';
import type { FlagValues } from '../config/load-config.js';
import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';

export interface FlagSpec {
  /** Without the dashes. */
  readonly name: string;
  /** What its value is called in `--help`; absent for a switch. */
  readonly value?: string;
  readonly repeats?: boolean;
  readonly says: string;
}

/** What a command takes. */
export interface CommandSpec {
  readonly name: string;
  /** One sentence, for the list of commands. */
  readonly says: string;
  /** Operands as the usage line shows them, such as `[seed...]`. */
  readonly operands: string;
  readonly mostOperands: number;
  readonly flags: readonly FlagSpec[];
  /** Flags that stand for options of the configuration. */
  readonly options: readonly OptionName[];
  readonly examples: readonly (readonly [command: string, says: string])[];
  /** Paragraphs that follow the flags. */
  readonly notes?: readonly string[];
  /** Whether `--help` has the options without a flag too, which only a config file sets: `named` or `explained`. */
  readonly fileOptions?: 'named' | 'explained';
}

/** What was given. */
export interface Arguments {
  readonly help: boolean;
  readonly operands: readonly string[];
  /** Flags of the command itself. A switch holds `''`. */
  readonly flags: ReadonlyMap<string, string>;
  /** Flags that stand for options, for `loadConfig`. */
  readonly options: FlagValues;
}

/** Of a command that looks at one crawl and takes nothing else: its directory may stand alone, without `--dir`. */
export const DIR_OPERAND = '[DIR]';

/** What may have been meant by an operand too many. */
const hintOf = (operand: string, known: ReadonlyMap<string, FlagSpec>): string =>
  known.has('dir') && existsSync(join(operand, 'crawl.sqlite')) ? ` (did you mean --dir ${operand}?)` : '';

/** Values that name a place on the disk. */
const PLACES: ReadonlySet<string> = new Set(['DIR', 'FILE', 'PATH']);

const HELP: FlagSpec = { name: 'help', says: 'Show this.' };

/** Every option of the configuration that has a flag. */
export const OPTIONS_WITH_FLAGS: readonly OptionName[] = OPTION_NAMES.filter(
  (name) => optionOf(name).flag !== undefined,
);

/**
 * Reads the arguments that follow the name of a command. Values follow as `--flag value` or `--flag=value`; `--` ends
 * the flags; `-` alone is an operand or a value.
 *
 * @throws UserError (usage) for an unknown flag (with the nearest known one), a missing, empty or surplus value, a flag given
 *   twice that does not repeat, and surplus operands
 */
export function parseArguments(spec: CommandSpec, argv: readonly string[]): Arguments {
  const known = flagsOf(spec);
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i];
    if (argument === '--') {
      operands.push(...argv.slice(i + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      operands.push(argument);
      continue;
    }
    const flag = flagNamed(argument === '-h' ? '--help' : argument, known, spec);
    const attached = argument.indexOf('=');
    const values = given.get(flag.name) ?? [];
    given.set(flag.name, values);
    if (flag.value === undefined) {
      if (attached >= 0) throw new UserError(`--${flag.name} takes no value.`, 2);
      values.push('');
    } else if (attached >= 0) {
      values.push(argument.slice(attached + 1));
    } else {
      const next = argv[i + 1];
      if (next === undefined || next.startsWith('--')) {
        throw new UserError(`--${flag.name} needs a value: --${flag.name} ${flag.value}.`, 2);
      }
      values.push(next);
      i++;
    }
    if (values.at(-1) === '' && PLACES.has(flag.value?.split('|', 1)[0] ?? '')) {
      throw new UserError(`--${flag.name} cannot be empty: --${flag.name} ${flag.value}.`, 2);
    }
    if (values.length > 1 && !flag.repeats && flag.value !== undefined) {
      throw new UserError(`--${flag.name} is given twice.`, 2);
    }
  }
  const help = given.has('help');
  if (!help && operands.length > spec.mostOperands) {
    throw new UserError(
      `saunter ${spec.name} has no use for "${operands[spec.mostOperands]}"${hintOf(operands[spec.mostOperands], known)}: ${usageOf(spec)}`,
      2,
    );
  }
  if (spec.operands !== DIR_OPERAND || operands.length === 0) return { help, operands, ...split(spec, known, given) };
  if (given.has('dir')) throw new UserError('The directory is given twice: once with --dir, once without.', 2);
  given.set('dir', [operands[0]]);
  return { help, operands: [], ...split(spec, known, given) };
}

/** The values of a flag that takes several, with commas between them. */
export const listOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** `saunter crawl [seed...] [options]`. */
export function usageOf(spec: CommandSpec): string {
  return ['saunter', spec.name, spec.operands, '[options]'].filter((part) => part !== '').join(' ');
}

/** All flags of a command in the order of `--help`. */
export function flagsOf(spec: CommandSpec): Map<string, FlagSpec> {
  const flags = [...spec.flags, ...spec.options.map(optionFlag), HELP];
  return new Map(flags.map((flag) => [flag.name, flag]));
}

function optionFlag(name: OptionName): FlagSpec {
  const option = optionOf(name);
  const choices = /^one of (.*)$/.exec(option.allowed)?.[1].replaceAll(', ', '|');
  const extra = option.repeats ? ' May be repeated.' : option.shown === 'none' ? '' : ` Default: ${option.shown}.`;
  return {
    name: option.flag ?? name,
    value: option.value ?? choices ?? 'VALUE',
    repeats: option.repeats,
    says: `${option.says}${extra}`,
  };
}

function flagNamed(argument: string, known: ReadonlyMap<string, FlagSpec>, spec: CommandSpec): FlagSpec {
  const name = argument.replace(/^--?/, '').replace(/=.*$/s, '');
  const flag = argument.startsWith('--') ? known.get(name) : undefined;
  if (flag) return flag;
  const inFile = OPTION_NAMES.find((option) => option === name && optionOf(option).flag === undefined);
  if (inFile !== undefined && known.has('config')) {
    const where = `give a file with --config FILE in which ${inFile} is set (saunter config ${inFile} tells what it takes)`;
    throw new UserError(`${inFile} is an option of the config file only: ${where}.`, 2);
  }
  const near = nearest(name, known.keys());
  const hint = near ? `the nearest is --${near}` : `see saunter ${spec.name} --help`;
  throw new UserError(`There is no option ${argument.replace(/=.*$/s, '')}; ${hint}.`, 2);
}

function split(
  spec: CommandSpec,
  known: ReadonlyMap<string, FlagSpec>,
  given: ReadonlyMap<string, string[]>,
): Pick<Arguments, 'flags' | 'options'> {
  const own = new Set(spec.flags.map((flag) => flag.name));
  const flags = new Map<string, string>();
  const options: Record<string, string | string[]> = {};
  for (const [name, values] of given) {
    if (own.has(name)) flags.set(name, values[0]);
    else if (name !== 'help') options[name] = known.get(name)?.repeats ? values : values[0];
  }
  return { flags, options };
}
