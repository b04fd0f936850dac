/**
 * The operator's own rules that no URL can be asked for: on content types, decided when the head of an answer is there,
 * and on address families, decided when a host's address is chosen. They keep their place in the list: what a rule
 * before them accepts is not rejected by them. Rules before them that reject do not matter: who got so far is a seed.
 */
import type { Config } from '../config/config.js';
import type { NormalUrl, UrlRefusal } from './normalize.js';
import { ownScopeRules } from './own-rules.js';
import { compileScope, type ScopeRule } from './scope.js';

/** Rejects these values, or ends the list for what is accepted. Plain data: it goes to the page workers. */
export type LateRule = { readonly values: readonly string[] } | { readonly unless: ScopeRule };

type OwnRules = Config['rules'];

/** The rules on content types; none without any. */
export const contentRules = (rules: OwnRules): LateRule[] => lateRules(rules, 'contentType', () => true);

/** The rules on address families. An address belongs to a host: rules on parts of a host do not shield it. */
export const familyRules = (rules: OwnRules): LateRule[] =>
  lateRules(rules, 'addressFamily', ({ kind }) => kind === 'host' || kind === 'domain');

function lateRules(
  rules: OwnRules,
  condition: 'contentType' | 'addressFamily',
  mayShield: (rule: ScopeRule) => boolean,
): LateRule[] {
  const last = rules.findLastIndex(({ reject }) => reject?.[condition] !== undefined);
  return rules.slice(0, last + 1).flatMap((rule): LateRule[] => {
    const values = rule.reject?.[condition];
    if (values !== undefined) return [{ values }];
    return ownScopeRules([rule])
      .filter((own) => own.verdict === 'accept' && mayShield(own))
      .map((unless) => ({ unless }));
  });
}

type Judge = (
  isMet: (values: readonly string[]) => boolean,
  url: () => Pick<NormalUrl, 'url' | 'host'> | null,
) => boolean;

/** Asks the rules in their order; for the URL only where one of them could reject it. */
function judgeOf(rules: readonly LateRule[]): Judge {
  const compiled = rules.map((rule) =>
    'unless' in rule ? { scope: compileScope([rule.unless], 'reject'), values: null } : { scope: null, ...rule },
  );
  return (isMet, urlOf) => {
    const at = compiled.findIndex(({ values }) => values !== null && isMet(values));
    if (at <= 0) return at === 0;
    const url = urlOf();
    return url === null || !compiled.slice(0, at).some(({ scope }) => scope?.verdict(url).accept);
  };
}

/** Is the body of an answer left unread? @param normalize of the crawl, for the URL that was requested
 * @returns null if no rule asks */
export function contentJudge(
  rules: readonly LateRule[],
  normalize: (url: string) => NormalUrl | UrlRefusal,
): ((mediaType: string, target: string) => boolean) | null {
  if (rules.length === 0) return null;
  const judge = judgeOf(rules);
  const normalOf = (target: string) => () => {
    const url = normalize(target);
    return url.url === null ? null : url;
  };
  return (mediaType, target) => judge((types) => types.some((type) => isOfType(mediaType, type)), normalOf(target));
}

/** Is an address not to be used for a host? */
export function familyJudge(rules: OwnRules): (host: string, address: string) => boolean {
  const judge = judgeOf(familyRules(rules));
  return (host, address) =>
    judge(
      (families) => families.includes(address.includes(':') ? '6' : '4'),
      () => ({ url: `http://${host}/`, host }),
    );
}

/** `image/*` is any type of images; `image/png` is one. */
const isOfType = (mediaType: string, type: string): boolean =>
  type.endsWith('/*') ? mediaType.startsWith(type.slice(0, -1)) : mediaType === type;
