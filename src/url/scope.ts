/**
 * Scope: an ordered list of rules, each of which accepts a URL, rejects it or passes it on; the first that does not
 * pass decides (DESIGN section 5; the algebra is Heritrix's). Rules are plain data: they are stored with the crawl.
 */
import { domainOf } from './domain.js';
import { compileGlob, LONGEST_GLOB } from './glob.js';
import { isList, NameSet, type Names } from './name-set.js';
import { type NormalUrl, normalizeUrl } from './normalize.js';
import { Pattern } from './pattern.js';

/** The name of the rule that pages have to meet one by one. */
const INCLUDE = 'include';

export type ScopeVerdict = 'accept' | 'reject' | 'pass';

export type ScopeCondition =
  /** The host name is one of these. */
  | { readonly kind: 'host'; readonly hosts: Names }
  /** The host's registrable domain ({@link domainOf}) is one of these. */
  | { readonly kind: 'domain'; readonly domains: Names }
  /** The host is one of these names or lies below one: what lists of blocked domains mean. */
  | { readonly kind: 'below'; readonly names: readonly string[] }
  /** The URL is one of these URLs or lies below one: `https://a.com/docs` holds `/docs/x` and `/docs?x`, not
   * `/docs-old`. http and https are one; a query is left out. */
  | {
      readonly kind: 'prefix';
      readonly prefixes: Names;
      /** Hosts of the prefixes, of whose sitemaps something may lie below one; default: told from `prefixes`, if they are names. */
      readonly hosts?: Names;
    }
  /** `*` any run of characters; the whole normal URL has to match one. */
  | { readonly kind: 'glob'; readonly globs: readonly string[] }
  /** One of these regular expressions ({@link Pattern}) matches somewhere in the normal URL. */
  | { readonly kind: 'regexp'; readonly patterns: readonly string[]; readonly ignoreCase?: boolean };

export type ScopeRule = ScopeCondition & {
  /** What a URL that meets the condition gets. */
  readonly verdict: ScopeVerdict;
  /** What one that does not meet it gets (default `pass`). */
  readonly otherwise?: ScopeVerdict;
  /** The name that refusals are counted under (default the kind). */
  readonly name?: string;
  /** Seeds do not widen it. */
  readonly fixed?: true;
};

export interface ScopeDecision {
  readonly accept: boolean;
  /** Name of the rule that decided, or `fallback`. */
  readonly rule: string;
}

export interface Scope {
  /** The rules in force, additions included. */
  readonly rules: readonly ScopeRule[];
  verdict(url: Pick<NormalUrl, 'url' | 'host'>): ScopeDecision;
  /** The same of a sitemap, which is no page but names some: it may lie anywhere on a host of the prefixes, and need not match
   * what pages have to. */
  verdictOfSitemap(url: Pick<NormalUrl, 'url' | 'host'>): ScopeDecision;
  /** Widens the first accepting rule of hosts, domains or prefixes that is not fixed by a seed, or by where a seed redirects to.
   * Returns what was added (a domain, say), or null when it was in already or there is no such rule. */
  extend(seed: SeedPlace): string | null;
}

/** What of a seed draws the scope. */
export type SeedPlace = Pick<NormalUrl, 'host' | 'origin' | 'fetch'>;

/** A rule that cannot be compiled; `message` says which and why. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';
}

/** @param fallback what a URL gets that every rule passes on
 * @param secret 16 bytes, of the crawl: it keeps long lists of names by hashes. Throws a {@link ScopeError} for a rule that is wrong. */
export function compileScope(
  rules: readonly ScopeRule[],
  fallback: 'accept' | 'reject',
  secret: Uint8Array = new Uint8Array(16),
): Scope {
  const compiled = rules.map((rule) => compileRule(rule, secret));
  const last: ScopeDecision = { accept: fallback === 'accept', rule: 'fallback' };
  return {
    get rules() {
      return compiled.map((rule) => rule.data());
    },
    verdict(url) {
      for (const rule of compiled) {
        const decision = rule.test(url.url, url.host) ? rule.met : rule.unmet;
        if (decision !== null) return decision;
      }
      return last;
    },
    verdictOfSitemap(url) {
      for (const rule of compiled) {
        if (rule.isOfPages) continue;
        const decision = (rule.met?.accept ? (rule.testSitemap ?? rule.test) : rule.test)(url.url, url.host)
          ? rule.met
          : rule.unmet;
        if (decision !== null) return decision;
      }
      return last;
    },
    extend(seed) {
      return compiled.find((rule) => rule.met?.accept && rule.mayGrow)?.extend?.(seed) ?? null;
    },
  };
}

interface CompiledRule {
  test(url: string, host: string): boolean;
  testSitemap?(url: string, host: string): boolean;
  /** Sitemaps are not asked. */
  readonly isOfPages: boolean;
  data(): ScopeRule;
  extend?(seed: SeedPlace): string | null;
  readonly mayGrow: boolean;
  /** The decisions, made once; null passes. */
  readonly met: ScopeDecision | null;
  readonly unmet: ScopeDecision | null;
}

function compileRule(rule: ScopeRule, secret: Uint8Array): CompiledRule {
  const name = rule.name ?? rule.kind;
  const decision = (verdict: ScopeVerdict): ScopeDecision | null =>
    verdict === 'pass' ? null : { accept: verdict === 'accept', rule: name };
  const met = decision(rule.verdict);
  const unmet = decision(rule.otherwise ?? 'pass');
  try {
    const condition = compileCondition(rule, secret);
    const mayGrow = condition.extend !== undefined && !rule.fixed;
    return { ...condition, met, unmet, mayGrow, isOfPages: rule.name === INCLUDE };
  } catch (error) {
    throw new ScopeError(`the scope rule "${name}" cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

type Condition = Omit<CompiledRule, 'met' | 'unmet' | 'mayGrow' | 'isOfPages'>;

function compileCondition(rule: ScopeRule, secret: Uint8Array): Condition {
  switch (rule.kind) {
    case 'host': {
      const hosts = new NameSet(mapped(rule.hosts, hostName), secret);
      return {
        test: (_, host) => hosts.has(host),
        data: () => ({ ...rule, hosts: hosts.data() }),
        extend: ({ host }) => addTo(hosts, host),
      };
    }
    case 'domain': {
      const domains = new NameSet(mapped(rule.domains, hostName), secret);
      return {
        test: (_, host) => domains.has(domainOf(host)),
        data: () => ({ ...rule, domains: domains.data() }),
        extend: ({ host }) => addTo(domains, domainOf(host)),
      };
    }
    case 'below': {
      const names = new Set(rule.names.map(hostName));
      return { test: (_, host) => isBelow(names, host), data: () => rule };
    }
    case 'prefix': {
      const stems = new NameSet(mapped(rule.prefixes, stemOf), secret);
      const hosts = new NameSet(rule.hosts ?? hostsOfPrefixes(rule.prefixes), secret);
      return {
        test: (url) => liesBelow(stems, afterScheme(url)),
        testSitemap: (_, host) => hosts.has(host),
        data: () => ({ ...rule, prefixes: mapped(stems.data(), (stem) => `http://${stem}`), hosts: hosts.data() }),
        extend: (seed) => {
          const prefix = prefixOf(seed);
          hosts.add(seed.host);
          return stems.add(stemOf(prefix)) ? prefix : null;
        },
      };
    }
    case 'glob': {
      const globs = rule.globs.map((glob) => {
        if (glob.length > LONGEST_GLOB) throw new RangeError(`a glob has at most ${LONGEST_GLOB} characters`);
        return compileGlob(glob);
      });
      // the normal form of a folder has no slash at its end, and people write `/docs/*` for all of it
      return { test: (url) => globs.some((matches) => matches(url) || matches(`${url}/`)), data: () => rule };
    }
    case 'regexp': {
      const patterns = rule.patterns.map((source) => new Pattern(source, rule.ignoreCase));
      return { test: (url) => patterns.some((pattern) => pattern.test(url)), data: () => rule };
    }
    default:
      throw new TypeError(`there is no rule of kind ${JSON.stringify((rule as { kind: unknown }).kind)}`);
  }
}

/** A host name as URLs spell it: `Bücher.example.` and `xn--bcher-kva.example` are one. */
function hostName(name: string): string {
  const normal = normalizeUrl(`http://${name.startsWith('*.') ? name.slice(2) : name}/`);
  if (normal.url === null || normal.url !== `http://${normal.host}/`) {
    throw new TypeError(`${JSON.stringify(name)} is not a host name`);
  }
  return normal.host;
}

function isBelow(names: ReadonlySet<string>, host: string): boolean {
  for (let name = host; ; ) {
    if (names.has(name)) return true;
    const dot = name.indexOf('.');
    if (dot < 0) return false;
    name = name.slice(dot + 1);
  }
}

const addTo = (set: NameSet, value: string): string | null => (set.add(value) ? value : null);

const mapped = (names: Names, map: (name: string) => string): Names => (isList(names) ? names.map(map) : names);

/** What URLs below a prefix begin with, after their scheme. */
function stemOf(prefix: string): string {
  const normal = normalizeUrl(prefix);
  if (normal.url === null) throw new TypeError(`${JSON.stringify(prefix)} is not an http(s) URL`);
  return afterScheme(normal.url).replace(/\?.*$/, '').replace(/\/$/, '');
}

/** Is the URL one of the stems, or below one? Each place is tried where one may end. */
function liesBelow(stems: NameSet, rest: string): boolean {
  for (let at = 0; at < rest.length; at++) {
    const c = rest.charCodeAt(at);
    if ((c === SLASH || c === QUESTION) && stems.has(rest.slice(0, at))) return true;
  }
  return stems.has(rest);
}

const SLASH = 0x2f;
const QUESTION = 0x3f;

function afterScheme(url: string): string {
  return url.slice(url.indexOf('//') + 2);
}

/** The prefix that a seed stands for: itself, or the folder it lies in if its last segment looks like a file. */
function prefixOf(seed: SeedPlace): string {
  const path = seed.fetch.replace(/\?.*$/, '');
  const slash = path.lastIndexOf('/');
  return path.indexOf('.', slash) >= 0 && slash >= seed.origin.length ? path.slice(0, slash + 1) : path;
}

const hostsOfPrefixes = (prefixes: Names): string[] =>
  isList(prefixes) ? prefixes.map((prefix) => hostName(new URL(prefix).hostname)) : [];

/**
 * The rules of a CLI crawl. Those of the operator's `own` come first; `exclude` refuses whatever else says; with `include`,
 * what matches none is refused; what is left has to be in `scope` as the seeds draw it.
 */
export function scopeFor(options: {
  readonly scope: 'any' | 'domain' | 'host' | 'prefix';
  readonly seeds: readonly NormalUrl[];
  readonly own?: readonly ScopeRule[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Names of which everything below is refused. */
  readonly blocked?: readonly string[];
}): { rules: ScopeRule[]; fallback: 'accept' | 'reject' } {
  const { scope, seeds, own = [], include = [], exclude = [], blocked = [] } = options;
  const rules: ScopeRule[] = [...own];
  if (blocked.length > 0) rules.push({ kind: 'below', names: blocked, verdict: 'reject', name: 'blocked' });
  if (exclude.length > 0) rules.push({ kind: 'glob', globs: exclude, verdict: 'reject', name: 'exclude' });
  if (include.length > 0) {
    rules.push({ kind: 'glob', globs: include, verdict: 'pass', otherwise: 'reject', name: INCLUDE });
  }
  const distinct = (values: string[]) => [...new Set(values)];
  if (scope === 'host') rules.push({ kind: 'host', hosts: distinct(seeds.map((s) => s.host)), verdict: 'accept' });
  if (scope === 'domain') {
    rules.push({ kind: 'domain', domains: distinct(seeds.map((s) => domainOf(s.host))), verdict: 'accept' });
  }
  if (scope === 'prefix') rules.push({ kind: 'prefix', prefixes: distinct(seeds.map(prefixOf)), verdict: 'accept' });
  return { rules, fallback: scope === 'any' ? 'accept' : 'reject' };
}
