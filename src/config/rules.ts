/**
 * The option `rules`: what is crawled, as an ordered list of the operator's own (DESIGN 5). Here only its form is read;
 * `url/own-rules.ts` makes rules of the scope of it.
 */
import { nearest } from '../nearest.js';
import { parseUrl } from '../parse-url.js';
import { compilePattern } from '../pattern-parser.js';
import { formatCount } from '../units.js';
import { type Option, Refused, RefusedItems } from './kinds.js';
import { quote } from './mistakes.js';
import { isHttpUrl, isPattern } from './texts.js';

/** What a URL is asked for. A list means any of it. */
export interface RuleCondition {
  readonly host?: readonly string[];
  readonly domain?: readonly string[];
  readonly prefix?: readonly string[];
  readonly glob?: readonly string[];
  readonly regexp?: readonly string[];
}

/** What only answers and addresses can be asked for: reasons to reject. */
export interface RejectCondition extends RuleCondition {
  /** Media types, `image/*` for any of a kind. */
  readonly contentType?: readonly string[];
  /** `4` or `6`. */
  readonly addressFamily?: readonly string[];
}

/** One condition, and what a URL gets that meets it: `{ reject: { regexp: ['/print/'] } }`. */
export interface CrawlRule {
  readonly accept?: RuleCondition;
  readonly reject?: RejectCondition;
}

/** A rule as a file or a program may write it: one value where a list could stand, numbers for families. */
export interface WrittenRule {
  readonly accept?: Written<RuleCondition>;
  readonly reject?: Written<RejectCondition>;
}
type Written<C> = {
  readonly [K in keyof C]?: C[K] | string | (K extends 'addressFamily' ? 4 | 6 | readonly (4 | 6)[] : never);
};

const MOST_RULES = 1_000;
const MOST_VALUES = 10_000;
/** In all rules together: each may take half a MiB of each page worker, if URLs are made for it. */
const MOST_PATTERNS = 100;

interface Kind {
  /** The end of "give ...". */
  readonly allowed: string;
  /** The value, in its normal spelling; null if it is not allowed. Throws to say why. */
  readonly check: (value: string) => string | null;
  /** Numbers are taken for their texts. */
  readonly numbers?: true;
  readonly onlyRejects?: true;
}

const KINDS: Readonly<Record<keyof RejectCondition, Kind>> = {
  host: { allowed: 'a host name, such as www.example.org', check: hostName },
  domain: { allowed: 'a registrable domain, such as example.org', check: hostName },
  prefix: { allowed: 'an http(s) URL, such as https://example.org/docs', check: isHttpUrl },
  glob: { allowed: 'a glob over the whole URL, such as "*/print/*"', check: isPattern },
  regexp: {
    allowed: 'a regular expression, such as "/print/|[?&]print="',
    check: (source) => {
      compilePattern(source);
      return source === '' ? null : source;
    },
  },
  contentType: {
    ...{ allowed: 'a media type, such as image/png or image/*', onlyRejects: true },
    check: (type) =>
      /^[!#$&^_.+a-z0-9-]{1,100}\/(?:\*|[!#$&^_.+a-z0-9-]{1,100})$/i.test(type) ? type.toLowerCase() : null,
  },
  addressFamily: {
    ...{ allowed: '4 or 6', onlyRejects: true, numbers: true },
    check: (family) => (family === '4' || family === '6' ? family : null),
  },
};
type Condition = keyof RejectCondition;
const CONDITIONS = Object.keys(KINDS) as Condition[];

/** A list of rules. */
export function ruleList(says: string): Option<readonly CrawlRule[]> {
  return {
    ...{ says, initial: [], shown: 'none', repeats: false, group: '', write: (rules) => rules },
    allowed: 'a list of rules, such as [{"reject": {"glob": "*/print/*"}}]',
    read,
  };
}

function read(value: unknown): readonly CrawlRule[] | Refused {
  const given = Array.isArray(value) ? value : [value];
  if (given.length > MOST_RULES || typeof value === 'string') return new Refused(value);
  const rules: CrawlRule[] = [];
  const wrong: { index: number; words: string }[] = [];
  let patterns = 0;
  given.forEach((item, index) => {
    const rule = ruleOf(item);
    if (typeof rule === 'string') wrong.push({ index, words: rule });
    else {
      rules.push(rule);
      const before = patterns;
      patterns += (rule.accept ?? rule.reject)?.regexp?.length ?? 0;
      if (before <= MOST_PATTERNS && patterns > MOST_PATTERNS)
        wrong.push({ index, words: `is one too many: all rules have at most ${MOST_PATTERNS} regular expressions` });
    }
  });
  return wrong.length > 0 ? new RefusedItems(value, 'Rule', wrong) : rules;
}

/** A rule, or what is wrong with it, as what follows "Rule 2". */
function ruleOf(item: unknown): CrawlRule | string {
  const example = 'such as { reject: { glob: "*/print/*" } }';
  if (!isObject(item)) return `cannot be ${quote(item)}: give a rule, ${example}`;
  const verdicts = Object.keys(item);
  const [verdict] = verdicts;
  if (verdicts.length !== 1 || (verdict !== 'accept' && verdict !== 'reject')) {
    const said = verdicts.length === 0 ? 'nothing' : verdicts.map(quote).join(', ');
    return `must say accept or reject, and says ${said}: give a rule, ${example}`;
  }
  const condition = conditionOf(verdict, item[verdict]);
  return typeof condition === 'string' ? condition : { [verdict]: condition };
}

function conditionOf(verdict: 'accept' | 'reject', given: unknown): RejectCondition | string {
  if (!isObject(given)) return `needs a condition after ${verdict}: one of ${CONDITIONS.join(', ')}`;
  const names = Object.keys(given);
  if (names.length === 0) return `needs a condition after ${verdict}: one of ${CONDITIONS.join(', ')}`;
  const unknown = names.find((name) => !CONDITIONS.includes(name as Condition));
  if (unknown !== undefined) {
    const near = nearest(unknown, CONDITIONS);
    const hint = near === null ? `give one of ${CONDITIONS.join(', ')}` : `the nearest is ${near}`;
    return `has no condition ${quote(unknown)}: ${hint}`;
  }
  if (names.length > 1) return `has ${names.length} conditions (${names.join(', ')}): give each a rule of its own`;
  const name = names[0] as Condition;
  if (verdict === 'accept' && KINDS[name].onlyRejects) return `cannot accept by ${name}: that can only be rejected`;
  const values = Array.isArray(given[name]) ? (given[name] as unknown[]) : [given[name]];
  if (values.length === 0 || values.length > MOST_VALUES)
    return `has ${formatCount(values.length)} values after ${name}: give 1 to ${formatCount(MOST_VALUES)}`;
  const read: string[] = [];
  for (const value of values) {
    const checked = checkedValue(KINDS[name], value);
    if ('why' in checked) return `cannot have ${quote(value)} after ${name}: ${checked.why}`;
    read.push(checked.value);
  }
  return { [name]: read };
}

function checkedValue({ allowed, check, numbers }: Kind, value: unknown): { value: string } | { why: string } {
  const text = numbers && typeof value === 'number' ? String(value) : value;
  try {
    const read = typeof text === 'string' ? check(text) : null;
    return read === null ? { why: `give ${allowed}` } : { value: read };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

/** A host name as a URL can have one: no port, no path, no wildcard. */
function hostName(value: string): string | null {
  if (value.length > 255 || /[\s/?#@\\*%]/.test(value)) return null;
  const url = parseUrl(`http://${value}/`);
  return url !== null && url.hostname !== '' && url.port === '' && !url.hostname.endsWith('..') ? value : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
