/** `inspect robots`: what a robots.txt, or the answer in place of one, says to a crawler about a URL (docs/robots.md). */
import { statusCode } from '../fetch/http-messages.js';
import { parseRobots, ROBOTS_MAX_BYTES, type RobotsRules } from '../fetch/robots.js';
import { ROBOTS_TIMES, robotsVerdict, rulesOf } from '../fetch/robots-ladder.js';
import { comparableUrl } from '../fetch/robots-path.js';
import { parseUrl } from '../parse-url.js';
import { formatDuration } from '../units.js';
import { bytesOf, type Case, type InspectKind, optional, type Row, WrongCase } from './inspect-case.js';

/** The product token that rules and directives are read for, unless a case names another. */
export const AGENT = 'Saunter';

export const robotsKind: InspectKind = {
  subject: 'file',
  reads: ['robots', 'robots_b64', 'file', 'agent', 'url', 'status'],
  answer: (input) => {
    const { rules, status } = read(input);
    const { allowed, rule } = rules.match(optional(input, 'url') ?? '');
    // where a status stands in for a file, no line of it decides
    return {
      allowed,
      rule: status === null ? rule : null,
      crawlDelay: rules.crawlDelayMs,
      sitemaps: sitemapsOf(rules, input),
    };
  },
  explain: explainRobots,
};

interface Reading {
  rules: RobotsRules;
  agent: string;
  size: number;
  /** The status that stands in for a file; null for one that was answered. */
  status: number | null;
}

function read(input: Case): Reading {
  const agent = optional(input, 'agent') ?? AGENT;
  const status = statusOf(input);
  if (status !== null && (status < 200 || status > 299)) {
    const code = statusCode(status, null);
    const state = robotsVerdict({ code, status, redirects: 0 }, null, 0);
    return { rules: rulesOf(state, null, agent), agent, size: 0, status };
  }
  const bytes = bytesOf(input, 'robots');
  return { rules: parseRobots(bytes, agent), agent, size: bytes.length, status: null };
}

/** Sitemap lines, relative ones resolved where the URL that is asked about says against what. */
function sitemapsOf({ sitemaps }: RobotsRules, input: Case): readonly string[] {
  const base = optional(input, 'url') ?? '';
  if (!/^https?:/i.test(base) || parseUrl(base) === null) return sitemaps;
  return sitemaps.map((line) => (parseUrl(line) ? line : (parseUrl(line, base)?.href ?? line)));
}

/** `status`, as a number or (by argument) in digits. */
function statusOf({ status }: Case): number | null {
  if (status === undefined || status === null) return null;
  const number = typeof status === 'string' && /^\d{3}$/.test(status) ? Number(status) : status;
  if (Number.isInteger(number) && Number(number) >= 100 && Number(number) <= 999) return Number(number);
  throw new WrongCase('status', 'status must be an HTTP status, such as 503');
}

function explainRobots(input: Case): Row[] {
  const { rules, agent, size, status } = read(input);
  const url = optional(input, 'url') ?? '';
  const { allowed, rule, line } = rules.match(url);
  const who = agent === '' || agent === '*' ? 'a crawler that no group names' : agent;
  const path = comparableUrl(url);
  const rows: Row[] = [[allowed ? 'allowed' : 'denied', `${url || '/'} for ${who}`]];
  if (status !== null) {
    const words = allowed
      ? `the answer ${status}: as if there were no file, for ${formatDuration(ROBOTS_TIMES.fresh)}`
      : `the answer ${status}: nothing is fetched; asked again after ${formatDuration(ROBOTS_TIMES.firstRetry)}`;
    return [...rows, ['decided by', words]];
  }
  if (rule !== null) rows.push(['decided by', `line ${line}: ${rule}`]);
  else if (path === '/robots.txt') rows.push(['decided by', 'nothing: /robots.txt itself is always allowed']);
  else rows.push(['decided by', 'no rule that matches, so it is allowed']);
  rows.push(['compared as', path]);
  rows.push(['rules', WHOSE[rules.group ?? 'nobody'](who)]);
  rows.push(['Crawl-delay', rules.crawlDelayMs === null ? 'none' : formatDuration(rules.crawlDelayMs)]);
  for (const sitemap of sitemapsOf(rules, input)) rows.push(['sitemap', sitemap]);
  for (const signal of rules.contentSignals) rows.push(['signal', signal]);
  if (size >= ROBOTS_MAX_BYTES) rows.push(['read', `the first 500 KiB of ${size} bytes, up to the last whole line`]);
  return rows;
}

const WHOSE: Readonly<Record<'named' | 'everybody' | 'nobody', (who: string) => string>> = {
  named: (who) => `those of the groups that name ${who}`,
  everybody: (who) => `those for everybody (User-agent: *): no group names ${who}`,
  nobody: (who) => `none: no group is for ${who} or for everybody`,
};
