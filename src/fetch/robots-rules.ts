/**
 * The rules of one group, compiled for matching: RFC 9309, section 2.2.2.
 *
 * The rule with the most octets wins, and of two such the Allow. Rules without wildcards, nearly all there are, stand
 * in one sorted list in which each knows the longest other rule that is a prefix of it; so the longest rule that is a
 * prefix of a path costs one binary search, whether a file has ten rules or forty thousand. Wildcard rules are tried
 * from the longest down, and only while they could still win.
 */
import { comparablePath, comparableUrl } from './robots-path.js';
import { compileWildcard, matchesWildcard, type Wildcard } from './wildcard.js';

/** A rule as the parser read it. */
export interface RobotsLine {
  readonly allow: boolean;
  /** The path, one character per octet, as written. */
  readonly path: string;
  /** The whole line as written, without its comment. */
  readonly text: string;
}

export interface RobotsMatch {
  readonly allowed: boolean;
  /** The line that decided, as written (`Disallow: /x`), or null where none matched. */
  readonly rule: string | null;
}

interface Rule {
  readonly allow: boolean;
  readonly text: string;
  /** Comparable spelling without the final `$`. */
  readonly path: string;
  /** Octets of the comparable rule, `*` and `$` counted: the more there are, the more specific the rule is. */
  readonly octets: number;
}

interface WildcardRule extends Rule {
  readonly wildcard: Wildcard;
}

const ALLOWED_BY_DEFAULT: RobotsMatch = { allowed: true, rule: null };

export class RuleSet {
  /** Estimate of the memory in bytes, for caches that are bounded by size. */
  readonly bytes: number;
  /** Rules without wildcards, by path in code unit order; no path twice. */
  readonly #prefixes: readonly Rule[];
  /** For each of `#prefixes` the index of the longest other one that is a prefix of it, or -1. */
  readonly #parents: Int32Array;
  /** Rules with wildcards, the most octets first, Allow first among equals. */
  readonly #wildcards: readonly WildcardRule[];

  constructor(lines: readonly RobotsLine[]) {
    const prefixes = new Map<string, Rule>();
    const wildcards = new Map<string, WildcardRule>();
    for (const line of lines) {
      addRule(line, prefixes, wildcards);
      const index = line.allow && /^(.*\/)index\.html?$/.exec(line.path);
      // Who allows a directory's index page by its file name means the page that is served at the directory. Not in
      // the RFC, but so every reference parser reads it.
      if (index) addRule({ ...line, path: `${index[1]}$` }, prefixes, wildcards);
    }
    this.#prefixes = [...prefixes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#parents = linkPrefixes(this.#prefixes);
    this.#wildcards = [...wildcards.values()].sort(
      (a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow) || (a.path < b.path ? -1 : 1),
    );
    let bytes = 256;
    for (const rule of this.#prefixes) bytes += 112 + rule.path.length + rule.text.length;
    for (const rule of this.#wildcards) bytes += 256 + 2 * rule.path.length + rule.text.length;
    this.bytes = bytes;
  }

  /** The verdict on an absolute URL, a path or nothing. `/robots.txt` itself is always allowed. */
  match(pathOrUrl: string): RobotsMatch {
    const path = comparableUrl(pathOrUrl);
    if (path === '/robots.txt') return ALLOWED_BY_DEFAULT;
    let best: Rule | null = this.#longestPrefix(path);
    for (const rule of this.#wildcards) {
      if (best && (rule.octets < best.octets || (rule.octets === best.octets && (best.allow || !rule.allow)))) break;
      if (matchesWildcard(rule.wildcard, path)) {
        best = rule;
        break;
      }
    }
    return best ? { allowed: best.allow, rule: best.text } : ALLOWED_BY_DEFAULT;
  }

  /** Every rule that is a prefix of `path` is, in the sorted list, an ancestor of the last rule not after `path`. */
  #longestPrefix(path: string): Rule | null {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prefixes[middle].path <= path) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    if (at < 0) return null;
    const common = commonPrefix(this.#prefixes[at].path, path);
    while (at >= 0 && this.#prefixes[at].path.length > common) at = this.#parents[at];
    return at < 0 ? null : this.#prefixes[at];
  }
}

function addRule(line: RobotsLine, prefixes: Map<string, Rule>, wildcards: Map<string, WildcardRule>): void {
  const anchored = line.path.endsWith('$');
  const written = comparablePath(anchored ? line.path.slice(0, -1) : line.path);
  // A `$` inside a path is an ordinary character; only at the end it is special.
  const path = written.replaceAll('$', '%24');
  if (path[0] !== '/' && path[0] !== '*') return; // it cannot match: every path starts with a slash
  const octets = path.length + (anchored ? 1 : 0);
  const rule = { allow: line.allow, text: line.text, path, octets };
  if (!anchored && !path.includes('*')) {
    const known = prefixes.get(path);
    if (!known || (rule.allow && !known.allow)) prefixes.set(path, rule);
    return;
  }
  const key = anchored ? `${path}$` : path;
  const known = wildcards.get(key);
  if (!known || (rule.allow && !known.allow)) {
    wildcards.set(key, { ...rule, wildcard: compileWildcard(path, anchored) });
  }
}

function linkPrefixes(sorted: readonly Rule[]): Int32Array {
  const parents = new Int32Array(sorted.length);
  for (let i = 0; i < sorted.length; i++) {
    let at = i - 1;
    if (at >= 0) {
      const common = commonPrefix(sorted[at].path, sorted[i].path);
      while (at >= 0 && sorted[at].path.length > common) at = parents[at];
    }
    parents[i] = at;
  }
  return parents;
}

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}
