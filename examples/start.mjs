// What the examples share: their arguments, faults as one sentence, progress, and text that is safe in HTML.
import { UserError } from 'saunter';

/** How the example is to be called. */
let how = '';

/** A fault that the user can mend is a sentence, not a stack. */
process.on('uncaughtException', (error) => {
  const isUsers = error instanceof UserError;
  console.error(isUsers ? error.message + (error.exitCode === 2 ? ` ${how}` : '') : error);
  process.exit(isUsers ? error.exitCode : 1);
});

/**
 * The arguments of an example, or a sentence about what is wrong with them.
 * @param {string} usage such as `search-index.mjs FILE crawl URL [OPTIONS]`: small letters stand for themselves, OPTIONS is a
 *   JSON object (any options of createCrawler), `[...]` may be left out, and what stands before `...` may be repeated
 * @returns {any[]} texts, and an object in the place of OPTIONS
 */
export function readArguments(usage) {
  const given = process.argv.slice(2);
  const names = usage.split(' ').slice(1);
  const needed = names.filter((name) => !/^(?:\[.*|\.\.\.)$/.test(name));
  how = `Usage: node examples/${usage}${usage.includes('OPTIONS') ? `, where OPTIONS is such as '{"contact":"me@example.org"}'` : ''}.`;
  const wrong = given.find((text, i) => /^[a-z]+$/.test(names[i] ?? '') && text !== names[i]);
  if (wrong !== undefined) throw new UserError(`${JSON.stringify(wrong)} is not what is expected there.`, 2);
  if (given.length < needed.length) throw new UserError(`${needed[given.length]} is missing.`, 2);
  if (given.length > names.length && !names.includes('...')) {
    throw new UserError(`${JSON.stringify(given[names.length])} is one argument too many.`, 2);
  }
  const at = names.findIndex((name) => name.includes('OPTIONS'));
  return given.map((text, i) => (i === at ? optionsOf(text) : text));
}

/** @param {string} text */
function optionsOf(text) {
  try {
    const options = JSON.parse(text);
    if (options !== null && typeof options === 'object' && !Array.isArray(options)) return options;
  } catch {}
  throw new UserError(`${JSON.stringify(text)} is no JSON object.`, 2);
}

/** A line of progress: in place on a terminal, else one every ten seconds. */
export function tellProgress() {
  let last = Number.NEGATIVE_INFINITY;
  /** @param {import('saunter').CrawlProgress} now */
  return ({ pages, pending }) => {
    const line = `${pages} pages, ${pending} to go`;
    if (process.stderr.isTTY) return void process.stderr.write(`\r${line}   \r`);
    if (performance.now() - last < 10_000) return;
    last = performance.now();
    console.error(line);
  };
}

/** @param {string} text of strangers, for HTML */
export const safe = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
