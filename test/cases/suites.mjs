// The suites of outside cases: what `saunter inspect` is asked about each case, and what answer that is in the format
// of score.py (see run.mjs).

import { charsetDeclared } from './charset-suite.mjs';
import { PAGE_SUITES } from './page-suites.mjs';
import { isRightRaw, serveRaw, tellRaw } from './raw-cases.mjs';

/** @typedef {Record<string, any>} Case one line of a suite */
/** @typedef {{ kind: string, input: Record<string, unknown> }} Question a line for `saunter inspect KIND` */
/**
 * @typedef {object} Suite
 * @property {(c: Case, port: number) => Question[]} ask nothing for a case that `inspect` has no words for
 * @property {(cases: readonly Case[], dir: string | null) => Promise<import('./raw-cases.mjs').Served>} [serve] a server
 *   that the questions are about; its port is told to `ask`
 * @property {(c: Case) => unknown} [answer] the answer where `inspect` has no words for the case, by the product's functions
 * @property {(c: Case, answers: any[]) => unknown} tell the answer; undefined for none
 * @property {(c: Case, answer: any) => boolean} isRight
 * @property {(c: Case) => string} group what the case is counted under
 * @property {(c: Case) => boolean} [isRequired] false for cases on which the references themselves differ; default true
 */

/**
 * Bytes of a case, inline or in base64.
 * @param {Case} c
 * @param {string} field
 */
const bytes = (c, field) =>
  c[field] === undefined || c[field] === null ? { [`${field}_b64`]: c[`${field}_b64`] } : { [field]: c[field] };

/** @param {unknown} a @param {unknown} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** @param {readonly unknown[]} a @param {readonly unknown[]} b */
const isSameSet = (a, b) => isSame([...new Set(a)].sort(), [...new Set(b)].sort());

/**
 * A suite of one question a case.
 * @param {string} kind
 * @param {(c: Case) => Record<string, unknown>} input
 * @param {(answer: Record<string, any>, c: Case) => unknown} tell
 * @param {Partial<Suite>} [rest]
 * @returns {Suite}
 */
const simple = (kind, input, tell, rest = {}) => ({
  ask: (c) => [{ kind, input: input(c) }],
  tell: (c, [answer]) => tell(answer, c),
  isRight: (c, answer) => isSame(answer, c.expected),
  group: (c) => c.rule ?? c.section ?? c.source ?? 'all',
  ...rest,
});

/** A text as a page. @param {string} text */
const article = (text) =>
  `<article>${text
    .split('\n')
    .map((line) => `<p>${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`)
    .join('')}</article>`;

/** @param {string | null} a @param {string | null} b */
const bitsBetween = (a, b) =>
  a === null || b === null
    ? 64
    : [...(BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2)].filter((bit) => bit === '1').length;

/** @param {Case} c */
const askRobots = (c) => ({ ...bytes(c, 'robots'), agent: c.agent, url: c.url });
/** @param {Case} c */
const contentType = (c) => c.content_type ?? (c.encoding ? `text/html; charset=${c.encoding}` : undefined);

/** @type {Readonly<Record<string, Suite>>} */
export const SUITES = {
  ...PAGE_SUITES,
  robots_unit: simple('robots', askRobots, (a) => a.allowed, {
    isRight: (c, answer) => answer === c.allowed,
    group: (c) => c.tier,
    isRequired: (c) => c.tier === 'core',
  }),
  robots_diff_random: simple('robots', askRobots, (a) => a.allowed, {
    isRight: (c, answer) => answer === c.allowed,
    group: () => 'unanimous',
  }),
  robots_real: {
    ask: (c) =>
      c.queries.map((/** @type {Case} */ query) => ({
        kind: 'robots',
        input: { ...bytes(c, 'robots'), agent: query.agent, url: query.url },
      })),
    tell: (_, answers) => answers.map(({ allowed }) => allowed),
    isRight: (c, answer) =>
      c.queries.every((/** @type {Case} */ q, /** @type {number} */ i) => !q.unanimous || answer[i] === q.allowed),
    group: () => 'file',
  },
  robots_parse: {
    ask: (c) => robotsQuestions(c),
    tell: (c, answers) => robotsFacts(c, answers),
    isRight: (c, answer) =>
      c.kind === 'parse'
        ? isSame(answer?.crawl_delay_ms, c.crawl_delay_ms) && isSameSet(answer.sitemaps, c.sitemaps)
        : isSame(answer, c.expected ?? null),
    group: (c) => c.kind,
    isRequired: (c) => ['parse', 'status', 'crawl_delay', 'sitemaps', 'robots_url', 'path_of_url'].includes(c.kind),
  },
  url_wpt: simple(
    'url',
    ({ input, base }) => ({ input, base }),
    (a) => a.href ?? null,
    { group: (c) => (c.crawlable ? 'crawlable' : 'other schemes'), isRequired: (c) => c.crawlable },
  ),
  url_idna: simple(
    'url',
    ({ input }) => ({ input: `http://${input}/` }),
    (a) => /^http:\/\/([^/]*)\/$/.exec(a.href ?? '')?.[1] ?? null,
  ),
  url_query_charset: simple(
    'page',
    (c) => ({
      html: `<a href="?${numeric(c.input)}">x</a>`,
      url: 'http://a.test/',
      contentType: `text/html; charset=${c.charset}`,
    }),
    (a) => a.links[0]?.url.replace('http://a.test/?', '') ?? null,
    { group: (c) => c.charset },
  ),
  url_normalize: simple(
    'url',
    ({ input }) => ({ input }),
    (a) => a.url,
    { isRequired: () => false },
  ),
  // Labels are shares of word 5-shingles, not judgements: what must be right is what nobody would dispute.
  neardup_derived: {
    ask: (c) =>
      [c.a_text, c.b_text].map((text) => ({ kind: 'page', input: { html: article(text), url: 'http://a.test/' } })),
    tell: (_, [a, b]) => ({ distance: bitsBetween(a.simhash, b.simhash) }),
    isRight: (c, answer) => answer.distance <= 3 === c.near_dup,
    group: (c) => c.op,
    isRequired: (c) => ['identical', 'case+whitespace', 'words_30pct', 'unrelated'].includes(c.op),
  },
  // Facts without a verdict: what counts is compared in crosscheck.mjs.
  url_crosscheck: simple(
    'url',
    ({ input }) => ({ input }),
    (a) => a.key ?? null,
    { isRight: () => true, group: () => 'answered' },
  ),
  robots_meta: simple(
    'page',
    ({ html, headers, agent }) => ({ html: html ?? '', headers, agent: agent ?? 'x', url: 'http://a.test/' }),
    (a) => a.robots,
    {
      isRight: (c, answer) => ['index', 'follow'].every((key) => c[key] === null || answer?.[key] === c[key]),
      group: (c) => c.source,
    },
  ),
  html_base: simple(
    'page',
    (c) => ({ ...bytes(c, 'html'), url: c.url, contentType: contentType(c) }),
    (a) => a.base ?? null,
  ),
  html_links: simple(
    'page',
    (c) => ({ ...bytes(c, 'html'), url: c.url, contentType: contentType(c) }),
    (a) => a.links?.map((/** @type {Case} */ link) => link.url),
    {
      isRight: (c, answer) => isSameSet(urls(c.expected ?? []), answer ?? []),
      isRequired: (c) => c.rule === 'a-href' || c.plain === true,
    },
  ),
  html_links_real: simple(
    'page',
    (c) => ({ file: c.html_path, url: c.url }),
    (a) => a.links?.map((/** @type {Case} */ link) => link.url),
    { isRight: (c, answer) => isSameSet(urls(c.expected ?? []), answer ?? []), group: () => 'page' },
  ),
  sitemap_parse: simple(
    'sitemap',
    (c) => ({ ...bytes(c, 'content'), url: c.url ?? undefined, contentType: c.content_type ?? undefined }),
    (a) =>
      a.kind === 'unknown' ? { error: 'unknown' } : [...a.urls.map((/** @type {Case} */ u) => u.url), ...a.sitemaps],
    {
      isRight: (c, answer) => {
        const { expected } = c;
        if (expected === null || expected.error !== undefined) return !Array.isArray(answer) || answer.length === 0;
        const wanted = Array.isArray(expected)
          ? expected
          : (expected.urls ?? expected.sitemaps ?? expected.entries ?? []).map((/** @type {Case} */ u) => u.loc);
        return Array.isArray(answer) && isSame([...wanted].sort(), [...answer].sort());
      },
    },
  ),
  charset_declared: charsetDeclared,
  charset_labels: simple(
    'charset',
    (c) => ({ html: '', contentType: `text/html; charset="${c.label.trim()}"` }),
    (a) => (a.source === 'header' ? a.charset : null),
  ),
  content_type: simple(
    'type',
    (c) => ({ contentType: c.content_type }),
    (a) => a.type,
  ),
  http_compressed: simple(
    'fetch',
    (c) => ({ file: c.file, contentEncoding: c.content_encoding }),
    (a) => a.bodySha1,
    {
      isRight: (c, answer) => answer === c.expected_sha1,
      group: (c) => c.content_encoding ?? 'none',
    },
  ),
  http_raw: {
    serve: serveRaw,
    ask: (c, port) => [{ kind: 'fetch', input: { url: `http://127.0.0.1:${port}/${c.id}/dir/page` } }],
    tell: (c, [answer]) => tellRaw(c, answer),
    isRight: isRightRaw,
    group: (c) => c.group,
  },
};

/** @param {readonly any[]} links */
const urls = (links) => links.map((link) => link.url ?? (Array.isArray(link) ? link[0] : link));

/** Text as character references, which mean the same in every charset. @param {string} text */
const numeric = (text) => [...text].map((c) => `&#${c.codePointAt(0)};`).join('');

/** @param {Case} c @returns {Question[]} */
function robotsQuestions(c) {
  const ask = (/** @type {Record<string, unknown>} */ input) => [{ kind: 'robots', input }];
  switch (c.kind) {
    case 'parse':
      return ask({ ...bytes(c, 'robots'), agent: c.agents[0] ?? '*', url: c.robots_url });
    case 'status':
      return ask({ status: c.http_status, url: '/x' });
    case 'crawl_delay':
      return ask({ robots: c.robots, agent: c.agent });
    case 'sitemaps':
      return ask({ robots: c.robots, agent: c.agent ?? '*' });
    case 'parse_global':
      return ['*', ...Object.keys(c.crawl_delays_s)].flatMap((agent) => ask({ robots: c.robots, agent }));
    case 'path_of_url':
    case 'robots_url':
      return [
        { kind: 'url', input: { input: /^\/|:\/\//.test(c.url) ? c.url : `http://${c.url}`, base: 'http://a.test' } },
      ];
    default:
      return [];
  }
}

/** @param {Case} c @param {Record<string, any>[]} answers */
function robotsFacts(c, answers) {
  const [first] = answers;
  switch (c.kind) {
    case 'parse':
      return { crawl_delay_ms: first.crawlDelay, sitemaps: first.sitemaps };
    case 'status':
      return first.allowed ? 'allow_all' : 'allow_none';
    case 'crawl_delay':
      return first.crawlDelay === null ? null : first.crawlDelay / 1000;
    case 'sitemaps':
      return first.sitemaps;
    case 'parse_global': {
      // the case has no one answer: null says that all it says is so
      const delays = Object.values(c.crawl_delays_s).map((seconds) => seconds * 1000);
      const got = { sitemaps: first.sitemaps, delays: answers.slice(1).map(({ crawlDelay }) => crawlDelay) };
      return isSameSet(got.sitemaps, c.sitemaps) && isSame(got.delays, delays) ? null : got;
    }
    case 'path_of_url':
      return first.href === undefined ? undefined : pathOf(first.href);
    case 'robots_url':
      return first.fetch === undefined ? undefined : new URL('/robots.txt', first.fetch).href;
    default:
      return undefined;
  }
}

/** @param {string} href */
function pathOf(href) {
  const { pathname, search } = new URL(href);
  return pathname + search;
}
