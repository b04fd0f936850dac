/**
 * A config file that is a module, JavaScript or TypeScript: its default export holds the options, and may hold functions,
 * which no other kind of file can: `score`, `handlers` by content type, and `hooks`.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';

/** A function of the user's; whoever calls it knows what it takes. */
export type ConfigFunction = (argument: never) => unknown;

export interface ConfigFunctions {
  readonly score?: ConfigFunction;
  readonly fetch?: ConfigFunction;
  readonly outcome?: ConfigFunction;
}

export const NO_FUNCTIONS: ConfigFunctions = {};

export interface ConfigModule {
  readonly values: unknown;
  readonly functions: ConfigFunctions;
  /** Functions that nobody calls, a sentence each. */
  readonly mistakes: readonly (() => string)[];
}

const HOOKS = ['score', 'fetch', 'outcome'] as const;

/**
 * @returns the options, in which handlers are written `TYPE=MODULE`: a function among them is found again, in the thread
 *   that reads documents, by the path of this module
 * @throws UserError (usage) for a module that cannot be loaded, or has no options
 */
export async function readConfigModule(path: string): Promise<ConfigModule> {
  const exported = await load(path);
  if (exported === null || typeof exported !== 'object' || Array.isArray(exported)) {
    throw new UserError(`The config file ${path} has no options: export default { delay: '2s' }.`, 2);
  }
  const { score, hooks, handlers, ...values } = exported as Record<string, unknown>;
  const functions: Record<string, ConfigFunction> = {};
  if (typeof score === 'function') functions.score = score as ConfigFunction;
  else if (score !== undefined) values.score = score;
  const mistakes: string[] = [];
  Object.assign(functions, hooksOf(hooks, path, mistakes));
  if (handlers !== undefined) values.handlers = handlersOf(handlers, path, mistakes);
  return { values, functions, mistakes: mistakes.map((words) => () => words) };
}

async function load(path: string): Promise<unknown> {
  if (/\.[cm]?ts$/i.test(path) && !readsTypes()) {
    throw new UserError(
      `The config file ${path} is TypeScript, which Node ${process.versions.node} does not read: use Node 22.18 or ` +
        `newer, or write it without types as ${path.replace(/\.([cm]?)ts$/i, '.mjs')}.`,
      2,
    );
  }
  try {
    const module = await unlessStuck(import(pathToFileURL(resolve(path)).href) as Promise<{ default?: unknown }>);
    return module.default;
  } catch (error) {
    const words = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0].replace(/\.$/, '');
    throw new UserError(`The config file ${path} cannot be loaded: ${words}.`, 2, { cause: error });
  }
}

/** Node would end without a word where a module awaits what nothing is left to bring. */
async function unlessStuck<T>(loading: Promise<T>): Promise<T> {
  let fail = (): void => {};
  const stuck = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('it awaits something that never comes'));
  });
  process.once('beforeExit', fail);
  try {
    return await Promise.race([loading, stuck]);
  } finally {
    process.off('beforeExit', fail);
  }
}

/** This Node strips types by itself. */
const readsTypes = (): boolean => Boolean((process.features as { typescript?: string | false }).typescript);

function hooksOf(hooks: unknown, path: string, mistakes: string[]): ConfigFunctions {
  if (hooks === undefined) return NO_FUNCTIONS;
  const functions: Record<string, ConfigFunction> = {};
  const entries = hooks !== null && typeof hooks === 'object' ? Object.entries(hooks) : [['hooks', hooks] as const];
  for (const [name, hook] of entries) {
    if (hook === undefined) continue;
    if (!HOOKS.some((known) => known === name)) {
      const near = nearest(name, HOOKS);
      const hint = near === null ? `there are ${HOOKS.join(', ')}` : `the nearest is ${near}`;
      mistakes.push(`There is no hook "${name}" (in ${path}); ${hint}.`);
    } else if (typeof hook !== 'function') mistakes.push(`The hook ${name} in ${path} is not a function.`);
    else functions[name] = hook as ConfigFunction;
  }
  return functions;
}

/** `{ 'application/epub+zip': (document) => ... }`, or a path in the place of the function; a list is one of pairs already. */
function handlersOf(handlers: unknown, path: string, mistakes: string[]): unknown {
  if (handlers === null || typeof handlers !== 'object' || Array.isArray(handlers)) return handlers;
  return Object.entries(handlers).flatMap(([type, handler]) => {
    if (typeof handler === 'function') return [`${type}=${path}`];
    if (typeof handler === 'string') return [`${type}=${handler}`];
    mistakes.push(`The handler of ${type} in ${path} is neither a function nor the path of a module.`);
    return [];
  });
}
