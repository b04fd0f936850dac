// What has to be said about a suite beside right and wrong: which sentence causes each difference of url_normalize, and
// which inputs of url_crosscheck share a key that should not.
import { explain, SENTENCES, steps } from './explain-normal.mjs';

/** @typedef {import('./suites.mjs').Case} Case */
/** @typedef {{ c: Case, answer: any }} Told */

/**
 * @param {string} suite
 * @param {readonly Told[]} told
 * @returns {Promise<boolean>} nothing is left unexplained
 */
export async function afterwards(suite, told) {
  if (suite === 'url_normalize') return sentences(told);
  if (suite === 'url_crosscheck') return sharedKeys(told);
  return true;
}

/** @param {readonly Told[]} told */
async function sentences(told) {
  const { normalizeUrl } = await import('../../dist/url/normalize.js');
  /** @type {Map<string, number>} */
  const counts = new Map();
  let unexplained = 0;
  for (const { c, answer } of told) {
    if (answer === c.expected) continue;
    const ours = normalizeUrl(c.input);
    const causes = explain(/** @type {any} */ (c), ours, (url) => normalizeUrl(url).url);
    for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1);
    if (causes.length > 0) continue;
    unexplained++;
    console.log(`  no sentence for ${c.id} ${JSON.stringify([c.rule, c.input, c.expected])} GOT ${ours.url}`);
  }
  for (const [name, sentence] of Object.entries(SENTENCES)) {
    console.log(`${String(counts.get(name) ?? 0).padStart(5)}  ${sentence}`);
  }
  console.log(`${String(unexplained).padStart(5)}  differences that no sentence explains`);
  return unexplained === 0;
}

/**
 * Pairs that each single implementation keeps apart, and that have one key here: which sentences unite them. Six
 * implementations take one or the other of our steps, so pairs that need two of them are apart for all.
 * @param {readonly Told[]} told
 */
async function sharedKeys(told) {
  const { normalizeUrl } = await import('../../dist/url/normalize.js');
  /** @type {Map<string, Case[]>} */
  const byKey = new Map();
  for (const { c, answer } of told) if (answer !== null) byKey.set(answer, [...(byKey.get(answer) ?? []), c]);
  let pairs = 0;
  let unexplained = 0;
  for (const group of byKey.values()) {
    for (const [i, a] of group.entries()) {
      for (const b of group.slice(i + 1)) {
        if (!areApart(a, b)) continue;
        const hrefs = [a, b].map(({ input }) => new URL(input).href);
        const form = normalizeUrl(a.input).url ?? '';
        const causes = new Set(hrefs.flatMap((href) => (href === form ? [] : steps(href, form))));
        // spelt apart, and one URL to the standard
        if (hrefs.some((href, k) => href !== [a, b][k].input)) causes.add('parse');
        pairs++;
        if (causes.size < 2 && hrefs[0] !== hrefs[1]) unexplained++;
        console.log(`  ${[...causes].join(' + ').padEnd(24)} ${JSON.stringify(a.input)} ${JSON.stringify(b.input)}`);
      }
    }
  }
  console.log(`${byKey.size} keys; ${pairs} pairs that each of six implementations keeps apart share one.`);
  console.log(`${String(unexplained).padStart(5)}  of them without the sentences that unite them`);
  return unexplained === 0;
}

/** @param {Case} a @param {Case} b */
const areApart = (a, b) =>
  Object.keys(a.results).every((name) => a.results[name] === null || a.results[name] !== b.results[name]);
