/**
 * What robots.txt said about the use of a page by AI when it was fetched: `Content-Signal` and `Content-Usage` lines of
 * the copy in force. They stand in no page and no header, so they are read from the kept copies at the time of export.
 *
 * A `Content-Usage` may begin with the path that it is about (draft-ietf-aipref-attach); of several the longest that
 * matches counts, as with rules.
 */
import type { RobotsRow } from '../changes.js';
import type { StoreReader } from '../engines/ports.js';
import { parseRobots } from '../fetch/robots.js';
import { rows } from './states.js';

interface Statement {
  /** `content-signal: ai-train=no`, the path removed. */
  readonly text: string;
  /** Octets of its path; 0 for one about the whole site. */
  readonly weight: number;
  /** For what it is said about: null, everything. */
  isAbout: ((url: string) => boolean) | null;
}

interface Version {
  /** Wall ms from which it was in force. */
  readonly at: number;
  readonly statements: readonly Statement[];
}

/** Most statements of one page. */
const MOST = 20;
const LONGEST = 200;

export class RobotsPreferences {
  readonly #agent: string;
  readonly #versions = new Map<string, Version[]>();

  /** Reads the robots rows of a crawl once; in memory stays only what says something.
   * @param agent the product token that the crawl obeys robots.txt under */
  constructor(reader: StoreReader, agent: string) {
    this.#agent = agent;
    for (const row of rows(reader, 'robots')) this.add(row);
  }

  /** Takes a row that was committed since. */
  add({ origin, at, code, body }: RobotsRow): void {
    const versions = this.#versions.get(origin);
    const isNone = code === 'http.gone' || code === 'http.client';
    if (body === null && !isNone) return; // the copy that was in force still is (docs/robots.md)
    const statements = body === null ? [] : statementsOf(body, this.#agent);
    if (versions !== undefined) versions.push({ at, statements });
    else if (statements.length > 0) this.#versions.set(origin, [{ at, statements }]);
  }

  /** What was said about a URL that was fetched at that time (wall ms), as a page's own preferences are written. */
  of(url: string, at: number): string[] {
    if (this.#versions.size === 0) return [];
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const versions = this.#versions.get(slash < 0 ? url : url.slice(0, slash));
    const version = versions?.findLast((one) => one.at <= at);
    if (version === undefined) return [];
    const about = version.statements.filter(({ isAbout }) => isAbout === null || isAbout(url));
    const heaviest = Math.max(...about.map(({ weight }) => weight));
    const counts = ({ text, weight }: Statement): boolean => !text.startsWith(USAGE) || weight === heaviest;
    return about.filter(counts).map(({ text }) => text);
  }
}

const USAGE = 'content-usage';

function statementsOf(body: Uint8Array, agent: string): Statement[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Nearly no file has one: most are not parsed. UTF-16 has zeros between the letters.
  if (!/content/i.test(bytes.latin1Slice().replaceAll('\0', ''))) return [];
  return parseRobots(body, agent).contentSignals.slice(0, MOST).flatMap(statementOf);
}

/** @param line of robots.txt, as written without its comment */
function statementOf(line: string): Statement[] {
  const parts = /^([\w-]+)\s*:\s*(\/\S*)?\s*(\S.*)$/s.exec(line);
  if (parts === null) return [];
  const [, name, path, value] = parts;
  const text = `${name.toLowerCase()}: ${value.trim().slice(0, LONGEST)}`;
  if (path === undefined) return [{ text, weight: 0, isAbout: null }];
  const rule = parseRobots(`User-agent: *\nDisallow: ${path}`, '*');
  return [{ text, weight: path.length, isAbout: (url) => !rule.allows(url) }];
}
