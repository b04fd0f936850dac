/**
 * The hosts of the demo's web that a crawler must look out for. One function per host; its comment says what the host
 * is for.
 */
import { gzipSync } from 'node:zlib';
import { delayed } from './site.js';
import { plainAnswer, redirectAnswer } from './web.js';
import { type DemoBuilder, treeTarget } from './web-demo-builder.js';
import { randomFor } from './web-random.js';
import type { Script } from './web-words.js';

const ALLOW_ALL = 'User-agent: *\nDisallow:\n';

export function addOddHosts(builder: DemoBuilder): void {
  addLibraryAndMirror(builder);
  addPress(builder);
  addCalendar(builder);
  addShop(builder);
  addWiki(builder);
  addSlowHost(builder);
  addBusyHost(builder);
  addBrokenRobots(builder);
  addPatientHost(builder);
  addClosedHost(builder);
  addHostWithoutRobots(builder);
  addHiddenPages(builder);
  addMovedPages(builder);
  addDirectives(builder);
  addCharsets(builder);
}

/** A host and its whole mirror: the same bytes under another name. */
function addLibraryAndMirror(builder: DemoBuilder): void {
  for (const name of ['library', 'mirror']) {
    builder.tree(builder.host(name).robots(ALLOW_ALL), 30, { text: 'library' });
  }
}

/** Exact copies under a second path, and near-copies: the same text with one word changed. */
function addPress(builder: DemoBuilder): void {
  const site = builder.host('press').robots(ALLOW_ALL);
  const issues = [1, 2, 3, 4, 5, 6, 7, 8];
  const paths = ['news', 'copy', 'draft'];
  const links = issues.flatMap((issue) => paths.map((path) => `/${path}/${issue}`));
  site.page('/', builder.article(site, '/', { links }));
  for (const issue of issues) {
    const text = `news ${issue}`;
    site.page(`/news/${issue}`, builder.article(site, `/news/${issue}`, { text, paragraphs: 8 }));
    site.page(`/copy/${issue}`, builder.article(site, `/copy/${issue}`, { text, paragraphs: 8 }));
    const misprint = `draft-${issue}`;
    site.page(`/draft/${issue}`, builder.article(site, `/draft/${issue}`, { text, misprint, paragraphs: 8 }));
  }
}

/** A calendar whose months go on for ever in both directions. */
function addCalendar(builder: DemoBuilder): void {
  const site = builder.host('calendar').robots(ALLOW_ALL);
  builder.tree(site, 6, { home: ['/month/2026-05'] });
  site.otherwise((request) => {
    const match = /^\/month\/(\d{4})-(\d\d)$/.exec(request.target);
    if (match === null) return plainAnswer('missing', 404, 'text/plain', 'no such day\n');
    const months = Number(match[1]) * 12 + Number(match[2]) - 1;
    const path = (month: number) => `/month/${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
    const links = [path(months + 1), path(months - 1)];
    const page = builder.article(site, '/month', { links, misprint: `${match[1]}-${match[2]}`, paragraphs: 6 });
    return { ...page(request), kind: 'trap' };
  });
}

/** A shop that puts a new session id into every link. */
function addShop(builder: DemoBuilder): void {
  const site = builder.host('shop').robots(ALLOW_ALL);
  const items = 12;
  for (let item = 0; item < items; item++) site.promise(item === 0 ? '/' : `/item/${item}`);
  site.otherwise((request) => {
    const match = /^\/(?:item\/(\d+))?(?:\?sid=[0-9a-f]{32})?$/.exec(request.target);
    const item = Number(match?.[1] ?? 0);
    if (match === null || item >= items) return plainAnswer('missing', 404, 'text/plain', 'sold out\n');
    const random = randomFor(item, `session ${request.target}`);
    const session = (path: string) => `${path}?sid=${random.hex(32)}`;
    const links = [session('/')];
    for (let other = 1; other < items; other++) links.push(session(`/item/${other}`));
    return builder.article(site, `/item/${item}`, { links })(request);
  });
}

/** A wiki with a relative link that should have been absolute: each page leads one folder deeper. */
function addWiki(builder: DemoBuilder): void {
  const site = builder.host('wiki').robots(ALLOW_ALL);
  builder.tree(site, 8, { home: ['/topics/'] });
  site.otherwise((request) => {
    const { target } = request;
    if (!/^(\/topics)+\/$/.test(target)) return plainAnswer('missing', 404, 'text/plain', 'no such topic\n');
    return { ...builder.article(site, target, { links: ['topics/'] })(request), kind: 'trap' };
  });
}

/** A host that takes 300 ms for an answer: ten times that is its due between two requests. */
function addSlowHost(builder: DemoBuilder): void {
  const site = builder.host('slow').robots(ALLOW_ALL);
  builder.tree(site, 5);
  site.filter(delayed(300));
}

/** How long the busy host refuses, from its first request. */
const BUSY_FOR = 2_500;

/** A host that at first answers 429, and says for how long. */
function addBusyHost(builder: DemoBuilder): void {
  const site = builder.host('busy').robots(ALLOW_ALL);
  builder.tree(site, 10);
  site.filter((request, answer) => {
    if (request.target === '/robots.txt' || request.sinceFirst > BUSY_FOR) return answer;
    return plainAnswer('throttled', 429, 'text/plain', 'please come back later\n', { 'Retry-After': '1' });
  });
}

/** A host whose robots.txt answers 500: as long as it does, everything is forbidden. */
function addBrokenRobots(builder: DemoBuilder): void {
  const site = builder.host('broken').brokenRobots(500);
  for (const target of ['/', '/article/1']) site.route(target, builder.article(site, target));
}

/** A host that asks for one second between requests. */
function addPatientHost(builder: DemoBuilder): void {
  builder.tree(builder.host('patient').robots('User-agent: *\nCrawl-delay: 1\nDisallow:\n'), 8);
}

/** A host that welcomes everybody but us. */
function addClosedHost(builder: DemoBuilder): void {
  const robots = 'User-agent: *\nDisallow:\n\nUser-agent: Saunter\nDisallow: /\n';
  const site = builder.host('closed').robots(robots, () => true);
  for (const target of ['/', '/article/1']) site.route(target, builder.article(site, target));
}

/** A host without a robots.txt: 404 means that all is allowed. */
function addHostWithoutRobots(builder: DemoBuilder): void {
  const site = builder.host('plain');
  site.route('/robots.txt', () => plainAnswer('robots', 404, 'text/plain', 'no such file\n'));
  builder.tree(site, 12);
}

/** A host with pages that only its sitemaps name: an index, a plain sitemap and one that is gzip'ed. */
function addHiddenPages(builder: DemoBuilder): void {
  const site = builder.host('hidden');
  const at = (target: string) => builder.url(site.host, target);
  const hidden = Array.from({ length: 24 }, (_, index) => `/hidden/${index + 1}`);
  site.robots(`User-agent: *\nDisallow:\n\nSitemap: ${at('/sitemap.xml')}\n`);
  builder.tree(site, 8);
  for (const target of hidden) site.page(target, builder.article(site, target));
  const xml = (root: string, item: string, targets: readonly string[]) => {
    const items = targets.map((target) => `<${item}><loc>${at(target)}</loc></${item}>`).join('\n');
    return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items}\n</${root}>\n`;
  };
  const serve = (target: string, type: string, body: string | Buffer) =>
    site.route(target, () => plainAnswer('sitemap', 200, type, body));
  serve('/sitemap.xml', 'application/xml', xml('sitemapindex', 'sitemap', ['/sitemap-1.xml', '/sitemap-2.xml.gz']));
  serve('/sitemap-1.xml', 'application/xml', xml('urlset', 'url', hidden.slice(0, 12)));
  serve('/sitemap-2.xml.gz', 'application/gzip', gzipSync(xml('urlset', 'url', hidden.slice(12))));
}

/** Redirects: a chain, a loop, one to another host, one to another key, and one to itself that sets a cookie. */
function addMovedPages(builder: DemoBuilder): void {
  const site = builder.host('moved').robots(ALLOW_ALL);
  const library = [...builder.sites.keys()].find((host) => host.startsWith('library'))!;
  builder.tree(site, 6, { home: ['/chain-1', '/loop-1', '/away', '/for-good', '/consent'] });
  site.route('/chain-1', () => redirectAnswer(302, '/chain-2'));
  site.route('/chain-2', () => redirectAnswer(307, '/chain-3'));
  site.route('/chain-3', () => redirectAnswer(301, '/chain-end'));
  site.page('/chain-end', builder.article(site, '/chain-end'));
  site.route('/loop-1', () => redirectAnswer(302, '/loop-2'));
  site.route('/loop-2', () => redirectAnswer(302, '/loop-1'));
  site.route('/away', () => redirectAnswer(301, builder.url(library, treeTarget(3))));
  site.route('/for-good', () => redirectAnswer(308, '/new-place'));
  site.page('/new-place', builder.article(site, '/new-place'));
  const consent = builder.article(site, '/consent');
  site.page('/consent', (request) => {
    const agreed = request.headers.cookie?.includes('consent=yes');
    return agreed ? consent(request) : redirectAnswer(302, '/consent', { 'Set-Cookie': 'consent=yes; Path=/' });
  });
}

/** A page that wants no place in an index, a link that wants not to be followed, and what hides behind it. */
function addDirectives(builder: DemoBuilder): void {
  const site = builder.host('notice').robots(ALLOW_ALL);
  builder.tree(site, 6, {
    links: [{ href: '/unfollowed', text: 'not for you', rel: 'nofollow' }],
    home: ['/unlisted'],
  });
  site.page('/unlisted', builder.article(site, '/unlisted', { head: '<meta name="robots" content="noindex">' }));
  site.route('/unfollowed', builder.article(site, '/unfollowed'));
}

/** Hosts that write in the charsets of their countries, declared here or there. */
function addCharsets(builder: DemoBuilder): void {
  const hosts: [name: string, script: Script, language: string, charset: string, declared: 'header' | 'meta'][] = [
    ['cafe', 'western', 'fr', 'windows-1252', 'meta'],
    ['mlyn', 'central', 'pl', 'iso-8859-2', 'header'],
    ['kniga', 'cyrillic', 'ru', 'koi8-r', 'meta'],
    ['shinbun', 'japanese', 'ja', 'shift_jis', 'meta'],
    ['bunko', 'japanese', 'ja', 'utf-8', 'header'],
  ];
  for (const [name, script, language, charset, declared] of hosts) {
    builder.tree(builder.host(name).robots(ALLOW_ALL), 12, { script, language, charset, declared });
  }
}
