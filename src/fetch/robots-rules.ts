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
  /** Its number in the file, from 1. */
  readonly line: number;
}

export interface RobotsMatch {
  readonly allowed: boolean;
  /** The line that decided, as written (`Disallow: /x`), or null where none matched. */
  readonly rule: string | null;
  /** Its number in the file, from 1. */
  readonly line: number | null;
}

interface Rule {
  readonly allow: boolean;
  readonly text: string;
  readonly line: number;
  /** Comparable spelling without the final `$`. */
  readonly path: string;
  /** Octets of the comparable rule, `*` and `$` counted: the more there are, the more specific the rule is. */
  readonly octets: number;
}

interface WildcardRule extends Rule {
  readonly wildcard: Wildcard;
}

const ALLOWED_BY_DEFAULT: RobotsMatch = { allowed: true, rule: null, line: null };

/** Wildcard rules of one group that are matched as such; the most that 989 files of well-known sites had were 324. The
 * time of a match grows with their number, so a file with more is read strictly: see {@link RuleSet}. */
export const MAX_WILDCARD_RULES = 2000;

export class RuleSet {
  /** Estimate of the memory in bytes, for caches that are bounded by size. */
  readonly bytes: number;
  readonly #prefixes: PrefixList;
  /** Rules with wildcards, the most octets first, Allow first among equals. */
  readonly #wildcards: readonly WildcardRule[];
  /** What stands before the first star of Disallow rules beyond {@link MAX_WILDCARD_RULES}: all of it is forbidden,
   * whatever the other rules say. Allow rules beyond it are dropped. */
  readonly #forbidden: PrefixList;

  constructor(lines: readonly RobotsLine[]) {
    const builder = new RuleBuilder();
    for (const line of lines) {
      builder.add(line);
      const index = line.allow && /^(.*\/)index\.html?$/.exec(line.path);
      // Who allows a directory's index page by its file name means the page that is served at the directory. Not in
      // the RFC, but so every reference parser reads it.
      if (index) builder.add({ ...line, path: `${index[1]}$` });
    }
    this.#prefixes = new PrefixList(builder.prefixes);
    this.#forbidden = new PrefixList(builder.forbidden);
    this.#wildcards = [...builder.wildcards.values()].sort(
      (a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow) || (a.path < b.path ? -1 : 1),
    );
    let bytes = 256 + this.#prefixes.bytes + this.#forbidden.bytes;
    for (const rule of this.#wildcards) bytes += 264 + 2 * rule.path.length + rule.text.length;
    this.bytes = bytes;
  }

  /** The verdict on an absolute URL, a path or nothing. `/robots.txt` itself is always allowed. */
  match(pathOrUrl: string): RobotsMatch {
    const path = comparableUrl(pathOrUrl);
    if (path === '/robots.txt') return ALLOWED_BY_DEFAULT;
    let best = this.#forbidden.longest(path);
    if (best) return { allowed: false, rule: best.text, line: best.line };
    best = this.#prefixes.longest(path);
    for (const rule of this.#wildcards) {
      if (best && (rule.octets < best.octets || (rule.octets === best.octets && (best.allow || !rule.allow)))) break;
      if (matchesWildcard(rule.wildcard, path)) {
        best = rule;
        break;
      }
    }
    return best ? { allowed: best.allow, rule: best.text, line: best.line } : ALLOWED_BY_DEFAULT;
  }
}

/** Sorts lines into rules with and without wildcards; of equivalent ones the Allow is kept. */
class RuleBuilder {
  readonly prefixes = new Map<string, Rule>();
  readonly wildcards = new Map<string, WildcardRule>();
  readonly forbidden = new Map<string, Rule>();

  add(line: RobotsLine): void {
    const anchored = line.path.endsWith('$');
    const written = comparablePath(anchored ? line.path.slice(0, -1) : line.path);
    // A `$` inside a path is an ordinary character; only at the end it is special.
    const path = written.replaceAll('$', '%24');
    if (path[0] !== '/' && path[0] !== '*') return; // it cannot match: every path starts with a slash
    const octets = path.length + (anchored ? 1 : 0);
    const rule = { allow: line.allow, text: line.text, line: line.line, path, octets };
    const star = path.indexOf('*');
    if (!anchored && star < 0) {
      const known = this.prefixes.get(path);
      if (!known || (rule.allow && !known.allow)) this.prefixes.set(path, rule);
      return;
    }
    const key = anchored ? `${path}$` : path;
    const known = this.wildcards.get(key);
    if (known ? rule.allow && !known.allow : this.wildcards.size < MAX_WILDCARD_RULES) {
      this.wildcards.set(key, { ...rule, wildcard: compileWildcard(path, anchored) });
    } else if (!known && !rule.allow) {
      const head = star < 0 ? path : path.slice(0, star) || '/';
      this.forbidden.set(head, { ...rule, path: head });
    }
  }
}

/** Rules that match what they are a prefix of, in code unit order; no path twice. */
class PrefixList {
  readonly bytes: number;
  readonly #rules: readonly Rule[];
  /** For each rule the index of the longest other one that is a prefix of it, or -1. */
  readonly #parents: Int32Array;

  constructor(byPath: ReadonlyMap<string, Rule>) {
    const rules = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#rules = rules;
    this.#parents = new Int32Array(rules.length);
    for (let i = 0; i < rules.length; i++) this.#parents[i] = this.#prefixFrom(i - 1, rules[i].path);
    let bytes = 0;
    for (const rule of rules) bytes += 120 + rule.path.length + rule.text.length;
    this.bytes = bytes;
  }

  /** The longest rule that is a prefix of `path`, or null. */
  longest(path: string): Rule | null {
    let low = 0;
    let high = this.#rules.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rules[middle].path <= path) low = middle + 1;
      else high = middle;
    }
    const at = this.#prefixFrom(low - 1, path);
    return at < 0 ? null : this.#rules[at];
  }

  /** Rule `at` is the last one not after `path`. Every rule that is a prefix of `path` is a prefix of that one too, so
   * it is found among that one and its parents. */
  #prefixFrom(at: number, path: string): number {
    if (at < 0) return -1;
    const common = commonPrefix(this.#rules[at].path, path);
    let found = at;
    while (found >= 0 && this.#rules[found].path.length > common) found = this.#parents[found];
    return found;
  }
}

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}
