/** The configuration of a command: the flags, the config file that was named or lies here, the defaults. */
import type { Config, OptionName } from '../config/config.js';
import { type ConfigFile, findConfigFile, readConfigFile } from '../config/file.js';
import { loadConfigWithOrigins, type ValueOrigin } from '../config/load-config.js';
import type { ConfigFunctions } from '../config/module.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

export const CONFIG_FLAG = {
  name: 'config',
  value: 'FILE|off',
  says:
    'Options from a file: YAML, JSON, or a JavaScript or TypeScript module; flags win over it. Default: the saunter.yaml, ' +
    'saunter.json or saunter.config.ts (.js) of this folder; off reads none.',
} as const;

export interface Configured {
  readonly config: Config;
  readonly origins: ReadonlyMap<OptionName, ValueOrigin>;
  /** Null without a file. */
  readonly file: string | null;
  /** Of a file that is a module. */
  readonly functions: ConfigFunctions;
}

/** @param terminal told of a file that nobody named
 * @throws UserError (usage) */
export async function configured(
  { flags, options }: Pick<Arguments, 'flags' | 'options'>,
  terminal: Pick<Terminal, 'say'> | null,
): Promise<Configured> {
  const given = flags.get('config');
  const path = given ?? findConfigFile();
  const file = path === null || path === 'off' ? NO_FILE : await readConfigFile(path);
  if (given === undefined && path !== null) terminal?.say(`Options of ${path}.`);
  const loaded = loadConfigWithOrigins(file.values, options, file);
  return { ...loaded, file: file === NO_FILE ? null : file.name, functions: file.functions };
}

const NO_FILE: ConfigFile = { name: 'the configuration', values: {}, lineOf: () => null, functions: {} };
