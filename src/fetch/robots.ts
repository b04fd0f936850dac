/**
 * robots.txt: RFC 9309 whole, plus Crawl-delay, Sitemap and the AI preference lines, which "MUST NOT interfere with
 * the parsing of explicitly defined records" (section 2.2.4).
 *
 * `docs/robots.md` lists the choices that other parsers make differently, each with its sentence of the RFC.
 */
import { type RobotsLine, type RobotsMatch, RuleSet } from './robots-rules.js';

/** "The parsing limit MUST be at least 500 kibibytes" (RFC 9309, section 2.5): we read exactly that much. */
export const ROBOTS_MAX_BYTES = 500 * 1024;

/** Octets of a line that are read: eight times the longest URL that old browsers took. A longer rule is compared up to
 * there. */
const MAX_LINE = 16 * 1024 + 279;

/** Octets before a colon that may still be the name of a field, blanks included. */
const MAX_FIELD = 256;

const NUMBER_SIGN = 0x23;
const LESS_THAN = 0x3c;

/** What one robots.txt says to one crawler. */
export interface RobotsRules {
  /** Whether a URL (absolute, or its path and query, or nothing for `/`) may be fetched. */
  allows(pathOrUrl: string): boolean;
  /** The same, with the line that decided. */
  match(pathOrUrl: string): RobotsMatch;
  /** Crawl-delay in milliseconds; null where none is set, which is not the same as 0. */
  readonly crawlDelayMs: number | null;
  /** Values of all Sitemap lines as written, without repetition; relative ones are the caller's to resolve. */
  readonly sitemaps: readonly string[];
  /** `Content-Usage` and `Content-Signal` lines for this crawler, as written. */
  readonly contentSignals: readonly string[];
  /** Whose rules these are: those of groups that name the crawler, those for everybody (`*`), or nobody's. */
  readonly group: 'named' | 'everybody' | null;
  /** Estimate of the memory in bytes, for caches that are bounded by size. */
  readonly bytes: number;
}

type Field = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'content-usage' | 'content-signal';

/** Field names by their lower-case spelling: those of the RFC, and misspellings whose meaning nobody can doubt. */
const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['content-usage', 'content-usage'],
  ['content-signal', 'content-signal'],
]);

/** What the file says to one audience: to those who are named, or to everybody. */
class Section {
  named = false;
  readonly rules: RobotsLine[] = [];
  readonly signals: string[] = [];
  delayMs: number | null = null;
}

/**
 * Reads a robots.txt for one crawler. Never throws: a line that is no record is skipped (RFC 9309, section 2.3.1.5),
 * so a page of HTML, or noise, parses to no rules.
 *
 * @param source the body; of more than {@link ROBOTS_MAX_BYTES} the rest is ignored, with the line that it cuts
 * @param agent product token or whole User-Agent of the crawler; empty or `*` for one that no group names
 */
export function parseRobots(source: Uint8Array | string, agent: string): RobotsRules {
  return new RobotsReader(agent).read(octetsOf(source));
}

class RobotsReader {
  readonly #isOurs: (line: string) => boolean;
  readonly #ours = new Section();
  readonly #everybody = new Section();
  readonly #sitemaps = new Set<string>();
  /** Sections that rules go to. A User-agent line after a rule starts a new group; nothing else does. */
  #group = new Set<Section>();
  #groupHasRules = false;
  /** Sections that extension records go to: those of the User-agent lines directly before them. A Crawl-delay between
   * two User-agent lines thus belongs to the first one only, while the rules below belong to both. */
  #extensionScope = new Set<Section>();
  #scopeIsUsed = false;
  #anyGroup = false;
  #isHtml = false;
  #lineNumber = 1;

  constructor(agent: string) {
    this.#isOurs = agentMatcher(agent);
  }

  read(octets: Buffer): RobotsRules {
    const cut = octets.length >= ROBOTS_MAX_BYTES;
    const size = Math.min(octets.length, ROBOTS_MAX_BYTES);
    this.#isHtml = firstVisible(octets) === LESS_THAN;
    let start = 0;
    for (let i = 0; i < size; i++) {
      if (octets[i] !== 0x0a && octets[i] !== 0x0d) continue;
      if (i > start) this.#line(octets, start, i);
      start = i + 1;
      if (octets[i] === 0x0a || octets[start] !== 0x0a) this.#lineNumber++; // CR LF ends one line, not two
    }
    // The last line of a file that was cut may be half a line, and half of `Allow: /public` allows everything.
    if (size > start && !cut) this.#line(octets, start, size);
    return this.#rules();
  }

  #line(octets: Buffer, start: number, next: number): void {
    const lineEnd = Math.min(next, start + MAX_LINE);
    const comment = octets.subarray(start, lineEnd).indexOf(NUMBER_SIGN);
    const end = comment < 0 ? lineEnd : start + comment;
    const text = octets.toString('latin1', start, end);
    const record = splitRecord(this.#isHtml ? withoutTags(text) : text);
    if (!record) return;
    const { field, value } = record;
    switch (field) {
      case 'user-agent':
        this.#agent(value);
        break;
      case 'allow':
      case 'disallow':
        this.#groupHasRules = true;
        if (value === '') break; // "Disallow:" without a path matches nothing
        for (const section of this.#group) {
          const text = trimmedText(octets, start, end);
          section.rules.push({ allow: field === 'allow', path: value, text, line: this.#lineNumber });
        }
        break;
      case 'sitemap':
        if (value !== '') this.#sitemaps.add(utf8(value));
        break;
      case 'crawl-delay':
        this.#scopeIsUsed = true;
        for (const section of this.#extensionScope) addDelay(section, value);
        break;
      default: {
        this.#scopeIsUsed = true;
        const line = trimmedText(octets, start, end);
        // Before the first group it speaks to everybody, whoever is named further down.
        if (this.#anyGroup) for (const section of this.#extensionScope) section.signals.push(line);
        else for (const section of [this.#ours, this.#everybody]) section.signals.push(line);
      }
    }
  }

  #agent(value: string): void {
    if (this.#groupHasRules) {
      this.#group = new Set();
      this.#groupHasRules = false;
      this.#scopeIsUsed = true;
    }
    if (this.#scopeIsUsed) {
      this.#extensionScope = new Set();
      this.#scopeIsUsed = false;
    }
    this.#anyGroup = true;
    const section = this.#sectionFor(value);
    if (!section) return;
    section.named = true;
    this.#group.add(section);
    this.#extensionScope.add(section);
  }

  #sectionFor(value: string): Section | null {
    if (value[0] === '*' && (value.length === 1 || isBlank(value.charCodeAt(1)))) return this.#everybody;
    return this.#isOurs(value) ? this.#ours : null;
  }

  #rules(): RobotsRules {
    const section = this.#ours.named ? this.#ours : this.#everybody;
    const rules = new RuleSet(section.rules);
    const sitemaps = [...this.#sitemaps];
    let bytes = rules.bytes + 256;
    for (const text of sitemaps) bytes += 32 + text.length;
    for (const text of section.signals) bytes += 32 + text.length;
    return {
      allows: (pathOrUrl) => rules.match(pathOrUrl).allowed,
      match: (pathOrUrl) => rules.match(pathOrUrl),
      crawlDelayMs: section.delayMs,
      sitemaps,
      contentSignals: section.signals,
      group: section.named ? (section === this.#ours ? 'named' : 'everybody') : null,
      bytes,
    };
  }
}

/** UTF-8 octets without a byte order mark. The RFC wants UTF-8; UTF-16 with a mark is what some editors save, and is
 * read as what it says rather than as a file without rules. */
function octetsOf(source: Uint8Array | string): Buffer {
  if (typeof source === 'string') {
    const text = source.slice(source.charCodeAt(0) === 0xfeff ? 1 : 0, ROBOTS_MAX_BYTES + 1);
    return Buffer.from(text, 'utf8');
  }
  const octets = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) return octets.subarray(3);
  const bigEndian = octets[0] === 0xfe && octets[1] === 0xff;
  if (!bigEndian && !(octets[0] === 0xff && octets[1] === 0xfe)) return octets;
  const units = Buffer.from(octets.subarray(2, Math.min(octets.length, ROBOTS_MAX_BYTES) & ~1));
  if (bigEndian) units.swap16();
  const text = units.toString('utf16le');
  const whole = octets.length < ROBOTS_MAX_BYTES ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  return Buffer.from(whole, 'utf8');
}

/** Field and value of a line (one character per octet, comment removed), or null if it is no record we know. */
function splitRecord(line: string): { field: Field; value: string } | null {
  const colon = line.indexOf(':');
  if (/^https?:\/\/\S*sitemap\S*$/i.test(line)) return { field: 'sitemap', value: line };
  if (colon < 0) {
    // "Disallow /x": a forgotten colon, where the line is two words and cannot be anything else.
    const words = /^\s*(\S{1,64})\s+(\S+)\s*$/.exec(line);
    const field = words && FIELDS.get(words[1].toLowerCase());
    return field ? { field, value: words[2] } : null;
  }
  if (colon > MAX_FIELD) return null;
  const field = FIELDS.get(trimBlanks(line.slice(0, colon)).toLowerCase());
  return field ? { field, value: trimBlanks(line.slice(colon + 1)) } : null;
}

/** The text between the tags of a line. Some robots.txt are served as web pages, and mean what they say all the same;
 * the usual page (of an error) has no line that reads like a record. */
function withoutTags(line: string): string {
  let text = '';
  let at = 0;
  for (;;) {
    const open = line.indexOf('<', at);
    const close = open < 0 ? -1 : line.indexOf('>', open);
    if (close < 0) return text + line.slice(at);
    text += line.slice(at, open);
    at = close + 1;
  }
}

/** The first octet that is no blank, or -1. */
function firstVisible(octets: Buffer): number {
  for (let i = 0; i < octets.length; i++) if (!isBlank(octets[i])) return octets[i];
  return -1;
}

function addDelay(section: Section, value: string): void {
  if (!/^(\d{1,12}(\.\d*)?|\.\d+)$/.test(value)) return;
  const delay = Math.round(Number(value) * 1000);
  // Of several delays the longest is the one that nobody can call impolite.
  section.delayMs = Math.max(section.delayMs ?? 0, delay);
}

/**
 * Whether a User-agent line names this crawler. Both sides are cut to their product token, letters, `_` and `-`
 * (section 2.2.1), and compared without case: `FooBot` is named by `foobot/2.1` too. A crawler whose own name is no
 * product token (`bot1`) is compared whole, else `bot2` would be its name as well.
 */
function agentMatcher(agent: string): (value: string) => boolean {
  const name = agentName(agent);
  if (name === '') return () => false;
  if (/^[a-z_-]+$/.test(name)) {
    return (value) => value.length >= name.length && productToken(value) === name;
  }
  return (value) => wholeName(utf8(value)) === name;
}

/** The crawler's own name: of a browser-like User-Agent the one after `compatible;`, else the first product. */
function agentName(agent: string): string {
  const text = agent.trim().slice(0, 1024);
  const compatible = /^mozilla\/[\d.]+ \(compatible; *([^;)]+)/i.exec(text);
  const name = wholeName(compatible ? compatible[1] : text);
  return name === '*' ? '' : name;
}

function productToken(value: string): string {
  return (/^[A-Za-z_-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

function wholeName(value: string): string {
  return (/^[^\s/;,()]+/.exec(value)?.[0] ?? '').toLowerCase();
}

function trimmedText(octets: Buffer, start: number, end: number): string {
  return octets.toString('utf8', start, end).trim();
}

function utf8(octets: string): string {
  return Buffer.from(octets, 'latin1').toString('utf8');
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/** Removes ASCII blanks only: `trim()` would take octets of other characters for spaces. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
