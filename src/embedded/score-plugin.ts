/**
 * A score of the user's, a function or a module, in the place of the default (`frontier/score.ts`). It is asked in the main
 * thread for each URL that becomes known, so it must neither crash nor stall the loop: it runs under a watchdog, and what
 * it cannot answer the default does.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { createContext, Script } from 'node:vm';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { UserError } from '../errors.js';
import { BEST_SCORE, breadthFirst, type Score, type Scored, WORST_SCORE } from '../frontier/score.js';

/** One answer may take this long, ms. The watchdog itself costs 30 us an answer (Node 20). */
const LONGEST = 50;
/** Answers that took longer, after which it is not asked again. */
const MOST_STALLS = 3;

/** The score of a crawl: the caller's, the config's, or the default.
 * @throws UserError (usage) for a module that is not there, cannot be loaded, or is no function */
export async function scoreOf({ config, score }: CrawlOptions, ui: Pick<CrawlUi, 'say'>): Promise<Score> {
  if (score !== undefined) return guardedScore(score, ui.say.bind(ui));
  return config.score === null ? breadthFirst : guardedScore(await load(config.score), ui.say.bind(ui));
}

async function load(name: string): Promise<Score> {
  const path = resolve(name);
  if (!existsSync(path)) throw new UserError(`The score ${name} names no file: ${path} does not exist.`, 2);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw new UserError(`The score ${name} cannot be loaded: ${(error as Error).message}`, 2);
  }
  if (typeof loaded.default !== 'function') {
    throw new UserError(
      `The score ${name} has no function as its default export: export default ({ depth }) => ...`,
      2,
    );
  }
  return loaded.default as Score;
}

/** @param say told once of each way in which the score fails
 * @param longest one answer may take so long, ms */
export function guardedScore(score: Score, say: (sentence: string) => void, longest = LONGEST): Score {
  let asked: Scored;
  const watched = new Script('ask()');
  const context = createContext({ ask: () => score({ ...asked }) });
  const said = new Set<string>();
  const sayOnce = (what: string, words: string): void => {
    if (!said.has(what)) say(`The score ${words}; the default score answers for it.`);
    said.add(what);
  };
  let stalls = 0;
  return (url) => {
    if (stalls === MOST_STALLS) return breadthFirst(url);
    asked = url;
    let answer: unknown;
    try {
      answer = watched.runInContext(context, { timeout: longest });
    } catch (error) {
      if (isTimeout(error)) {
        stalls++;
        const isLast = stalls === MOST_STALLS;
        sayOnce(
          `stall ${isLast}`,
          isLast
            ? `took more than ${longest} ms ${stalls} times and is not asked again`
            : `took more than ${longest} ms for ${url.url}`,
        );
      } else {
        sayOnce('throw', `failed on ${url.url} (${wordsOf(error)})`);
      }
      return breadthFirst(url);
    }
    if (typeof answer === 'number' && Number.isFinite(answer)) {
      return Math.min(Math.max(Math.round(answer), BEST_SCORE), WORST_SCORE);
    }
    sayOnce('answer', `gave no number for ${url.url}`);
    return breadthFirst(url);
  };
}

/** The watchdog's error may be of another realm, so it goes by its code. */
const isTimeout = (error: unknown): boolean => dataOf(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Whatever was thrown, in a few words: it may be anything, and lie. */
function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error.slice(0, 200);
  const message = dataOf(error, 'message');
  return typeof message === 'string' ? message.slice(0, 200) : 'with something that has no message';
}

/** A property that is plain data. Getters and proxies run code of whoever threw it, and the watchdog has gone home. */
function dataOf(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null || types.isProxy(error)) return undefined;
  return Object.getOwnPropertyDescriptor(error, name)?.value;
}
