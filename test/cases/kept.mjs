// The cases that the project keeps (test/fixtures), in the form of the outside suites they were taken from.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./suites.mjs').Case} Case */

export const keptFolder = fileURLToPath(new URL('../fixtures', import.meta.url));

/** @type {Readonly<Record<string, () => Case[]>>} */
const KEPT = {
  robots_unit: () => [...byFile('robots/unit-core', 'core'), ...byFile('robots/unit-divergent', 'divergent')],
  robots_diff_random: () => byFile('robots/random'),
  robots_parse: () => lines('robots/parse'),
  url_wpt: () =>
    lines('url/wpt').map(([input, base, expected]) => ({ input, base, expected, crawlable: true, rule: 'crawlable' })),
  url_idna: () => lines('url/idna').map(([input, expected]) => ({ input, expected, rule: 'domain-to-ascii' })),
  url_query_charset: () => lines('url/charset').map(([charset, input, expected]) => ({ charset, input, expected })),
  url_normalize: () =>
    [...lines('url/normalizers'), ...lines('url/normalizers-other')].map(([rule, input, expected, options]) => ({
      ...{ rule, input, expected },
      ...(options && { options }),
    })),
  url_crosscheck: () => lines('url/crosscheck').map(([input, ...results]) => ({ input, results: { ...results } })),
  http_raw: () => [...lines('http_raw/cases'), longHeader()],
  http_compressed: () => lines('http_compressed/cases').map((c) => ({ ...c, file: join('http_compressed', c.file) })),
};

/** @param {string} suite @returns {Case[] | null} */
export function keptCases(suite) {
  const cases = KEPT[suite]?.() ?? null;
  return cases?.map((c, i) => ({ id: i, ...c })) ?? null;
}

/** @param {string} name @returns {any[]} */
function lines(name) {
  const file = join(keptFolder, `${name}.jsonl`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Cases that are grouped by their robots.txt. @param {string} name @param {string} [tier] */
const byFile = (name, tier) =>
  lines(name).flatMap(({ cases, ...file }) => cases.map((/** @type {Case} */ c) => ({ ...file, ...c, tier })));

/** A head of 300 KB, too long to be kept as it is. @returns {Case} */
export function longHeader() {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Big: ${'a'.repeat(300_000)}\r\nContent-Length: 5\r\n\r\nhello`;
  return {
    ...{ id: 'header_300kb', name: 'header_300kb', group: 'headers', close: 'fin' },
    ...{ segments: [{ b64: Buffer.from(head).toString('base64'), delay_ms: 0 }], want: { error_or_full: true } },
  };
}
