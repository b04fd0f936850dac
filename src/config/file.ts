/**
 * The config file: YAML or JSON, whose lines messages can name, or a module (`module.ts`), which may also hold
 * functions. What the options mean is not decided here (`load-config.ts`).
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { UserError } from '../errors.js';
import { fileFault } from '../file-fault.js';
import { jsonFault } from './json.js';
import type { ConfigSource } from './load-config.js';
import { type ConfigFunctions, NO_FUNCTIONS, readConfigModule } from './module.js';
import { refuseStranger } from './stranger.js';

const LARGEST = 1024 * 1024;

/** The names under which a file is found without being named, in the folder where the program runs. */
export const CONFIG_NAMES: readonly string[] = [
  'saunter.yaml',
  'saunter.yml',
  'saunter.json',
  'saunter.config.ts',
  'saunter.config.mts',
  'saunter.config.js',
  'saunter.config.mjs',
];

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);

export interface ConfigFile extends ConfigSource {
  /** What {@link loadConfig} takes. */
  readonly values: unknown;
  readonly functions: ConfigFunctions;
}

/** The one file of {@link CONFIG_NAMES} that is here, or null.
 * @throws UserError (usage) if there are several, or if others than us may have written it */
export function findConfigFile(): string | null {
  const found = CONFIG_NAMES.filter((name) => existsSync(name));
  if (found.length > 1) {
    const names = found.join(' and ');
    throw new UserError(`There are several config files here, ${names}: name one with --config, or keep only one.`, 2);
  }
  if (found.length === 1) refuseStranger(found[0]);
  return found[0] ?? null;
}

/**
 * Reads a file by its ending: `.yaml` and `.yml` are YAML, `.js`, `.ts` and their kin are modules, all else is JSON.
 * @throws UserError (usage) that names the file, and the line where there is one
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const ending = extname(path).toLowerCase();
  const text = readText(path);
  if (MODULES.has(ending)) {
    return { name: path, lineOf: () => null, wantsUnits: true, ...(await readConfigModule(path)) };
  }
  const { readYaml } = await import('./yaml.js');
  const isYaml = ending === '.yaml' || ending === '.yml';
  if (!isYaml) checkJson(text, path);
  return { name: path, functions: NO_FUNCTIONS, wantsUnits: true, ...readYaml(text, path) };
}

function readText(path: string): string {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error('it is not a file');
    if (file.size > LARGEST) throw new Error('it is larger than 1 MiB');
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UserError(`The config file ${path} cannot be read: ${fileFault(error)}.`, 2, { cause: error });
  }
}

/** JSON is YAML too, and is read as such for the sake of its lines; but what is not JSON is not let through as YAML. */
function checkJson(text: string, path: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { offset, words } = jsonFault(text) ?? { offset: 0, words: (error as Error).message };
    const before = text.slice(0, offset).split('\n');
    const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    throw new UserError(`The config file ${path} is not JSON, ${place}: ${words}.`, 2, { cause: error });
  }
}
