import { readFileSync, statSync } from 'node:fs';
import { UserError } from './errors.js';

const LARGEST = 1024 * 1024;

/**
 * What a config file holds. JSON only, so far.
 * @throws UserError (usage) if it cannot be read or is not JSON
 */
export function readConfigFile(path: string): unknown {
  let text: string;
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error('it is not a file');
    if (file.size > LARGEST) throw new Error('it is larger than 1 MiB');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`The config file ${path} cannot be read: ${(error as Error).message}.`, 2, { cause: error });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UserError(`The config file ${path} is not JSON: ${(error as Error).message}.`, 2, { cause: error });
  }
}
