// Misses of the URL suites that a rule explains, so that docs/urls.md can name the rule and not three hundred cases.

/** @typedef {import('./suites.mjs').Case} Case */

/** What UTS #46 ignores or maps since version 15.1, and forbade (or mapped otherwise) before: capital sharp s, the
 * palochka, Georgian capitals, turned F, reversed C, fillers and invisible controls. */
const NEW_MAPPINGS = /[\u1e9e\u04c0\u10a0-\u10c5\u2132\u2183\u115f\u1160\u17b4\u17b5\u180e\u206a-\u206f]/u;
/** Assigned since Unicode 17. */
const NEW_CHARACTERS = /[\u{323b0}-\u{3347f}]/u;

/**
 * Why Node's URL parser says otherwise, or null.
 * @param {string} suite
 * @param {Case} c
 * @returns {string | null}
 */
export function explainMiss(suite, c) {
  if (suite !== 'url_idna' && suite !== 'url_wpt') return null;
  const host = suite === 'url_idna' ? c.input : (/^https?:\/\/([^/?#]*)/.exec(c.input)?.[1] ?? '');
  if (c.input === '') return 'an empty host is no host of a URL';
  if (/^[!-~]*$/.test(host) && /(?:^|\.)xn--/i.test(host)) {
    return 'an ASCII host is not validated since the URL Standard of 2025; Node asks IDNA and refuses it';
  }
  if (NEW_MAPPINGS.test(host)) return 'a character whose mapping UTS #46 changed after the version that Node has';
  if (NEW_CHARACTERS.test(host)) return 'a character that Unicode has assigned after the version that Node has';
  return null;
}
