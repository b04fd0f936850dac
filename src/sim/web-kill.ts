/**
 * The web of the kill tests: many small pages, all different and all reachable, on hosts that are found one after the
 * other, with robots rules on each. What must be held in the end is known from the numbers alone.
 */
import { drawTopic, heading, layoutPage, type PageLink, paragraph } from './pages.js';
import { delayed, Site } from './site.js';
import { hostNamer, plainAnswer, type SyntheticWeb, urlAt, type WebPlace } from './web.js';
import { randomFor } from './web-random.js';
import { createVocabulary, type Vocabulary } from './web-words.js';

export interface KillWebOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
  /** Milliseconds that a robots.txt takes, so that a kill can hit one. */
  readonly robotsDelay?: number;
  /** Most milliseconds that a page takes (at least 2): below a tenth of the crawl's delay, or the rule of 10 x the
   * fetch time (DESIGN section 4) makes the crawl longer than it says. */
  readonly pageDelay?: number;
}

/** Pages of one host that each page links to: a tree, so that pages are found over the whole crawl. */
const CHILDREN = 3;
/** Hosts whose home page is a seed. */
const SEED_HOSTS = 4;
/** Of 5 sentences each: 6 KB a page, so that archive files of the smallest size close often. */
const PARAGRAPHS = 20;
const VOCABULARY_SIZE = 20_000;

const pagePath = (index: number): string => (index === 0 ? '/' : `/page/${index}`);

/** A web of `hosts` x `pages` small pages. The home page of host h links to those of hosts 2h+1 and 2h+2. */
export function createKillWeb(options: KillWebOptions, place: WebPlace): SyntheticWeb {
  const { hosts, pages, seed } = options;
  const vocabulary = createVocabulary(seed, 'latin', VOCABULARY_SIZE);
  const name = hostNamer(place);
  const names = Array.from({ length: hosts }, (_, index) => name(`site-${index}`));
  const sites = new Map<string, Site>();
  for (let index = 0; index < hosts; index++) {
    const site = new Site(names[index]!);
    site.robots('User-agent: *\nDisallow: /private/\n', (target) => target.startsWith('/private/'));
    site.route('/private/data', () => plainAnswer('page', 200, 'text/html', '<title>private</title>'));
    for (let page = 0; page < pages; page++) {
      site.page(pagePath(page), () =>
        plainAnswer('page', 200, 'text/html; charset=utf-8', killPage(vocabulary, options, names, place, index, page)),
      );
    }
    const robots = delayed(options.robotsDelay ?? 40);
    const mostDelay = options.pageDelay ?? 20;
    site.filter((request, answer) => {
      if (request.target === '/robots.txt') return robots(request, answer);
      const random = randomFor(seed, `delay ${request.host}${request.target}`);
      return { ...answer, delay: random.between(2, Math.max(2, mostDelay)) };
    });
    sites.set(site.host, site);
  }
  return {
    seeds: names.slice(0, SEED_HOSTS).map((host) => urlAt(place, host, '/')),
    hosts: names,
    down: [],
    answer: (request) =>
      sites.get(request.host)?.answer(request) ?? plainAnswer('error', 421, 'text/plain', 'no host\n'),
    reachable: () => names.flatMap((host) => sites.get(host)!.pages.map((page) => urlAt(place, host, page))).sort(),
  };
}

function killPage(
  vocabulary: Vocabulary,
  { hosts, pages, seed }: KillWebOptions,
  names: readonly string[],
  place: WebPlace,
  host: number,
  page: number,
): string {
  const random = randomFor(seed, `page ${host} ${page}`);
  const topic = drawTopic(vocabulary, random);
  const links: PageLink[] = [];
  // Only links down the two trees lead to pages not met before; the others go back. So the depth of a page is that of
  // the trees however the crawl is interrupted, and the depth cap (16) never refuses one.
  const link = (href: string) => links.push({ href, text: heading(vocabulary, topic, random) });
  for (let child = page * CHILDREN + 1; child <= Math.min(pages - 1, (page + 1) * CHILDREN); child++) {
    link(pagePath(child));
  }
  link('/');
  link(pagePath(random.below(page + 1)));
  link('/private/data');
  if (page === 0) {
    for (const next of [2 * host + 1, 2 * host + 2]) if (next < hosts) link(urlAt(place, names[next]!, '/'));
  }
  link(urlAt(place, names[random.below(host + 1)]!, '/'));
  return layoutPage({
    title: heading(vocabulary, topic, random),
    language: 'en',
    charset: 'utf-8',
    paragraphs: Array.from({ length: PARAGRAPHS }, () => paragraph(vocabulary, topic, random, 5)),
    links,
  });
}
