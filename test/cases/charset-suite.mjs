// The suite of declared encodings. Its cases are tests of four libraries, which ask four different things: what a byte
// order mark says, what a header says, what a page says, and what text bytes are. `inspect charset` answers what a page is
// read as, and because of what; here the one is derived from the other.

/** @typedef {import('./suites.mjs').Case} Case */

const BY_SOURCE = /** @type {const} */ ([
  ['bom', 'bom'],
  ['charset from Content-Type header', 'header'],
  ['charset declared in body', 'meta'],
]);

/** @param {Case} c */
const sourceOf = (c) => BY_SOURCE.find(([rule]) => c.rule.startsWith(rule))?.[1] ?? null;
/** Bytes in an encoding that the case names, and their text: no label is asked for. @param {Case} c */
const asksForText = (c) => c.encoding !== undefined && c.expected_text !== undefined;

/** The Encoding Standard's label of a codec of Python. @param {string} codec */
const labelOf = (codec) =>
  codec
    .toLowerCase()
    .replace(/^(utf-(?:16|32))-(?=[lb]e$)/, '$1')
    .replace(/_2000$/, '');
/** The other way, where the names differ by more than score.py knows. @param {string} charset */
const codecOf = (charset) => charset.replace(/^utf-16(?=[lb]e$)/, 'utf-16-').replace(/^iso-8859-/, 'iso8859-');

/** White space is collapsed by a page, and NUL dropped. @param {string} text */
const bare = (text) => text.replace(/[\s\0]+/g, '');

/** @type {import('./suites.mjs').Suite} */
export const charsetDeclared = {
  ask: (c) => {
    const bytes = c.html_b64 === undefined ? { html: c.html ?? '' } : { html_b64: c.html_b64 };
    if (!asksForText(c)) return [{ kind: 'charset', input: { ...bytes, contentType: c.content_type ?? undefined } }];
    const contentType = `text/html; charset=${labelOf(c.encoding)}`;
    return [{ kind: 'page', input: { ...bytes, url: 'http://a.test/', contentType } }];
  },
  // null where the text is as it should be: score.py has no other word for that
  tell: (c, [answer]) => {
    if (asksForText(c)) return bare(answer.text) === bare(c.expected_text) ? null : answer.charset;
    const source = sourceOf(c);
    if (source !== null && answer.source !== source) return null;
    return c.source.includes('w3lib') ? codecOf(answer.charset) : answer.charset;
  },
  isRight: (c, answer) => sameName(answer) === sameName(c.expected ?? null),
  group: (c) => c.rule,
};

/** Names of the same decoder, as score.py has them. @type {Readonly<Record<string, string>>} */
const SAME = {
  gb2312: 'gbk',
  gb18030: 'gbk',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  ascii: 'windows-1252',
  cp1252: 'windows-1252',
  cp1251: 'windows-1251',
};
/** @param {string | null} name */
const sameName = (name) => (name === null ? null : (SAME[name.toLowerCase()] ?? name.toLowerCase()));
