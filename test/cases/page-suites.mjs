// Suites about parts of a page that `inspect` has no words for: tags and text as tokens, references in a piece of text, the
// content of a refresh, the text of bytes. The parser's own functions are asked.
import { decodeHTML } from 'entities/decode';
import { decodeAttribute, readReference, referenceEnd } from '../../dist/parse/character-references.js';
import { decode } from '../../dist/parse/charset.js';
import { parsePage } from '../../dist/parse/page.js';
import { parseRefresh } from '../../dist/parse/refresh.js';
import { PageScan } from '../../dist/parse/scan.js';
import { ATTR_STRIDE, TextKind, Token, Tokenizer } from '../../dist/parse/tokenizer.js';

/** @typedef {import('./suites.mjs').Case} Case */

/** @param {unknown} a @param {unknown} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {Case} c */
function refreshOf(c) {
  if (c.kind === 'content') return parseRefresh(c.content);
  const contentType = `text/html; charset=${c.encoding ?? 'utf-8'}`;
  return parsePage({ body: Buffer.from(c.html ?? c.html_b64, c.html ? 'utf8' : 'base64'), url: c.url, contentType })
    .refresh;
}

/** A piece of text with its references decoded. @param {string} text */
function decodeText(text) {
  const bytes = Buffer.from(text);
  const parts = [];
  let from = 0;
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at)) {
    const found = readReference(bytes, at, bytes.length);
    if (found === null) at++;
    else {
      parts.push(bytes.subarray(from, at), found);
      from = at = referenceEnd;
    }
  }
  return Buffer.concat([...parts, bytes.subarray(from)]).toString();
}

/** Elements with their attributes in one order. @param {{ tag: string, attrs: Record<string, string> }[]} elements */
const sorted = (elements) => elements.map(({ tag, attrs }) => [tag, Object.entries(attrs).sort()]);

/** What the input stream does to line ends (HTML 13.2.3.5). @param {string} text */
const withLineFeeds = (text) => text.replace(/\r\n?/g, '\n');
/** @param {string} text */
const withoutNul = (text) => text.replaceAll('\0', '\ufffd');

/** The name and the attributes of the tag that was just read. @param {Tokenizer} tokens */
function tagOf(tokens) {
  const slice = (/** @type {number} */ start, /** @type {number} */ end) =>
    withoutNul(withLineFeeds(tokens.bytes.utf8Slice(start, end)));
  const lower = (/** @type {string} */ name) => name.replace(/[A-Z]/g, (c) => c.toLowerCase());
  /** @type {Map<string, string>} */
  const attributes = new Map();
  for (let at = 0; at < tokens.attributeCount * ATTR_STRIDE; at += ATTR_STRIDE) {
    const [, nameStart, nameEnd, start, end] = tokens.attributes.subarray(at, at + ATTR_STRIDE);
    const name = lower(slice(nameStart, nameEnd));
    if (!attributes.has(name)) attributes.set(name, decodeAttribute(slice(start, end)));
  }
  return { name: lower(slice(tokens.nameStart, tokens.nameEnd)), attributes: Object.fromEntries(attributes) };
}

/** @param {Case} c */
function tokensOf(c) {
  const tokens = new Tokenizer();
  tokens.begin(Buffer.from(c.html));
  /** @type {[string, Record<string, string>][]} */
  const tags = [];
  let text = '';
  for (let type = tokens.next(); type !== Token.end; type = tokens.next()) {
    if (type === Token.startTag) {
      const { name, attributes } = tagOf(tokens);
      tags.push([name, attributes]);
    } else if (type === Token.text) {
      const own = withLineFeeds(tokens.bytes.utf8Slice(tokens.textStart, tokens.textEnd));
      text += tokens.textKind === TextKind.data ? decodeHTML(own) : own;
    }
  }
  return { tags, text };
}

/** Elements with attributes as the scan takes them, in the order of their start tags. @param {Case} c */
function elementsOf(c) {
  const scan = new PageScan();
  const { tokens } = scan;
  /** @type {{ tag: string, attrs: Record<string, string> }[]} */
  const elements = [];
  const next = tokens.next.bind(tokens);
  let root = '';
  tokens.next = () => {
    const type = next();
    if (type !== Token.startTag) return type;
    const { name, attributes } = tagOf(tokens);
    if (name === 'svg' || name === 'math') root = name;
    const space = scan.open.inForeign || name === root ? `${root} ` : '';
    if (Object.keys(attributes).length > 0) elements.push({ tag: space + name, attrs: attributes });
    return type;
  };
  const head = { meta() {}, baseTag() {}, link() {} };
  scan.read(Buffer.from(c.html), head, 1000, false);
  return elements;
}

/**
 * @param {(c: Case) => unknown} answer
 * @param {Partial<import('./suites.mjs').Suite>} [rest]
 * @returns {import('./suites.mjs').Suite}
 */
const own = (answer, rest = {}) => ({
  ask: () => [],
  answer,
  tell: (_, [told]) => told,
  isRight: (c, told) => isSame(told, c.expected),
  group: (c) => c.kind ?? 'all',
  ...rest,
});

/** @type {Readonly<Record<string, import('./suites.mjs').Suite>>} */
export const PAGE_SUITES = {
  html_meta_refresh: own(refreshOf, {
    isRight: (c, told) =>
      c.expected === null || told === null
        ? c.expected === told
        : Math.floor(c.expected.delay) === told?.delay && c.expected.url === told.url,
  }),
  html_entities_w3lib: own((c) => decodeText(c.input)),
  charset_decode_tables: own(
    (c) => Buffer.from(decode(Buffer.from(c.content_b64, 'base64'), c.label)).toString('base64'),
    {
      isRight: (c, told) => told === c.expected_text_b64,
      group: (c) => c.table,
    },
  ),
  html_tokens: own(tokensOf, {
    isRight: (c, told) => {
      const start = c.tokens.filter((/** @type {unknown[]} */ [type]) => type === 'StartTag');
      const tags = start.map((/** @type {unknown[]} */ [, name, attributes]) => [name, attributes]);
      const text = c.tokens.filter((/** @type {unknown[]} */ [type]) => type === 'Character');
      return isSame(told?.tags, tags) && told.text === text.map((/** @type {string[]} */ [, own]) => own).join('');
    },
  }),
  html_tree: own(elementsOf, {
    isRight: (c, told) => isSame(sorted(told), sorted(c.elements_with_attributes)),
    group: () => 'tree',
  }),
};
