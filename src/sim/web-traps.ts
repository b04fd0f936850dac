/**
 * The web of traps and repetitions: one host for each way in which a site has no end or says the same twice, with good
 * pages beside it. `docs/traps.md` says how each ends; what this web promises as reachable is the good pages.
 */
import { delayed } from './site.js';
import { plainAnswer, type SyntheticWeb, type WebPlace } from './web.js';
import { DemoBuilder, treeTarget } from './web-demo-builder.js';
import { randomFor } from './web-random.js';

const ALLOW_ALL = 'User-agent: *\nDisallow:\n';
/** Good pages of each host. */
const GOOD = 12;
/** Long enough for a changed word to move a few bits of the fingerprint at most. */
const LONG = 40;
const DEAD_LINKS = 40;
const ITEMS = 8;

export function createTrapWeb(seed: number, place: WebPlace): SyntheticWeb {
  const builder = new DemoBuilder(seed, place);
  for (const add of HOSTS) add(builder);
  const homes = [...builder.sites.keys()].map((host) => builder.url(host, '/'));
  const mirror = [...builder.sites.keys()].find((host) => host.startsWith('mirror'))!;
  const copies = Array.from({ length: GOOD }, (_, page) => builder.url(mirror, treeTarget(page)));
  const portal = builder.host('portal').robots(ALLOW_ALL);
  portal.page('/', builder.article(portal, '/', { links: [...homes, ...copies] }));
  const sites = [...builder.sites.values()];
  return {
    seeds: [builder.url(portal.host, '/')],
    hosts: sites.map((site) => site.host),
    down: [],
    answer: (request) =>
      builder.sites.get(request.host)?.answer(request) ?? plainAnswer('error', 421, 'text/plain', 'no such host\n'),
    reachable: () => sites.flatMap((site) => site.pages.map((page) => builder.url(site.host, page))).sort(),
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** The good pages below a home page: where a trap ends at the budget, they have to be found before it is spent. */
const ARTICLES = numbers(GOOD - 1).map(treeTarget);

const HOSTS: readonly ((builder: DemoBuilder) => void)[] = [
  /** A host, and its mirror: the same bytes under another name, all of them linked from elsewhere. */
  function mirror(builder) {
    builder.tree(builder.host('original').robots(ALLOW_ALL), GOOD, { text: 'original' });
    const site = builder.host('mirror').robots(ALLOW_ALL).filter(delayed(150)); // the original is always met first
    for (let page = 0; page < GOOD; page++) {
      const links = page === 0 ? numbers(GOOD - 1).map(treeTarget) : ['/'];
      // the pages of the original, byte for byte; its home page, which lists others, is not one
      const original = [...builder.sites.values()].find(({ host }) => host.startsWith('original'))!;
      const target = treeTarget(page);
      if (page === 0) site.route(target, builder.article(site, target, { text: 'mirror', links }));
      else site.route(target, (request) => original.answer({ ...request, host: original.host }));
    }
  },

  /** Near-copies: each story again with one word changed; some pages are linked from those alone. */
  function drafts(builder) {
    const site = builder.host('drafts').robots(ALLOW_ALL);
    const stories = numbers(GOOD);
    site.page('/', builder.article(site, '/', { links: stories.map((n) => `/story/${n}`) }));
    for (const n of stories) {
      const text = `story ${n}`;
      site.page(
        `/story/${n}`,
        builder.article(site, `/story/${n}`, { text, paragraphs: LONG, links: [`/draft/${n}`] }),
      );
      const draft = { text, paragraphs: LONG, misprint: `draft-${n}`, links: [`/behind/${n}`] };
      site.route(`/draft/${n}`, builder.article(site, `/draft/${n}`, draft));
      site.page(`/behind/${n}`, builder.article(site, `/behind/${n}`));
    }
  },

  /** Soft 404s of a host that also has honest ones: pages that went away answer 200. */
  function renovated(builder) {
    const site = builder.host('renovated').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/missing', '/archive'] });
    site.page('/archive', builder.article(site, '/archive', { links: numbers(DEAD_LINKS).map((n) => `/old/${n}`) }));
    const error = (target: string) =>
      builder.article(site, target, { text: 'sorry', misprint: target, paragraphs: LONG });
    site.otherwise((request) => {
      const answer = error(request.target)(request);
      return request.target.startsWith('/old/')
        ? { ...answer, kind: 'missing' }
        : { ...answer, status: 404, kind: 'missing' };
    });
  },

  /** Soft 404s of a host that answers 200 to everything. */
  function polite(builder) {
    const site = builder.host('polite').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: numbers(DEAD_LINKS).map((n) => `/gone/${n}`) });
    site.otherwise((request) => {
      const error = builder.article(site, '/error', { misprint: request.target, paragraphs: LONG });
      return { ...error(request), kind: 'missing' };
    });
  },

  /** A calendar whose months go on for ever in both directions, each with the same words but its name. */
  function calendar(builder) {
    const site = builder.host('calendar').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/month/0'] });
    site.otherwise((request) => {
      const month = /^\/month\/(-?\d+)$/.exec(request.target)?.[1];
      if (month === undefined) return plainAnswer('missing', 404, 'text/plain', 'no such day\n');
      const links = [`/month/${Number(month) + 1}`, `/month/${Number(month) - 1}`];
      const page = builder.article(site, '/month', { links, misprint: `month-${month}`, paragraphs: LONG });
      return { ...page(request), kind: 'trap' };
    });
  },

  /** A shop that puts a new session into the path of every link, where no rule of the normal form finds it. */
  function session(builder) {
    const site = builder.host('session').robots(ALLOW_ALL);
    const links = (from: string): string[] => {
      const random = randomFor(1, `session ${from}`);
      return numbers(ITEMS).map((item) => `/s/${random.hex(32)}/item/${item}`);
    };
    builder.tree(site, GOOD, { home: [...ARTICLES, ...links('home')] });
    site.otherwise((request) => {
      const item = /^\/s\/[0-9a-f]{32}\/item\/(\d+)$/.exec(request.target)?.[1];
      if (item === undefined || Number(item) > ITEMS) return plainAnswer('missing', 404, 'text/plain', 'sold out\n');
      const page = builder.article(site, `/item/${item}`, { links: links(request.target), paragraphs: LONG });
      return { ...page(request), kind: 'trap' };
    });
  },

  /** The same in the query, under a name that the normal form knows. */
  function cart(builder) {
    const site = builder.host('cart').robots(ALLOW_ALL);
    const links = (from: string): string[] => {
      const random = randomFor(1, `cart ${from}`);
      return numbers(ITEMS).map((item) => `/item/${item}?PHPSESSID=${random.hex(32)}`);
    };
    builder.tree(site, GOOD, { home: links('home') });
    for (const item of numbers(ITEMS)) site.promise(`/item/${item}`);
    site.otherwise((request) => {
      const item = /^\/item\/(\d+)(?:\?|$)/.exec(request.target)?.[1];
      if (item === undefined || Number(item) > ITEMS) return plainAnswer('missing', 404, 'text/plain', 'sold out\n');
      return builder.article(site, `/item/${item}`, { links: links(request.target) })(request);
    });
  },

  /** A list that can be filtered by anything and everything: each filter adds to the query. */
  function facets(builder) {
    const site = builder.host('facets').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/list?colour=1'] });
    site.otherwise((request) => {
      const query = /^\/list\?([\w=&]+)$/.exec(request.target)?.[1];
      if (query === undefined) return plainAnswer('missing', 404, 'text/plain', 'no such list\n');
      const random = randomFor(1, `facets ${query}`);
      const names = ['colour', 'size', 'price', 'maker', 'sort'];
      const links = numbers(6).map(() => `/list?${random.pick(names)}=${random.below(1e6)}&${query.slice(0, 100)}`);
      return { ...builder.article(site, request.target, { links })(request), kind: 'trap' };
    });
  },

  /** A relative link that should have been absolute: each page leads one folder deeper. */
  function folders(builder) {
    const site = builder.host('folders').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/topics/news/'] });
    site.otherwise((request) => {
      const { target } = request;
      if (!/^(\/topics\/news)+\/$/.test(target)) return plainAnswer('missing', 404, 'text/plain', 'no such topic\n');
      return { ...builder.article(site, target, { links: ['topics/news/'] })(request), kind: 'trap' };
    });
  },

  /** A series without end of pages that all differ. */
  function series(builder) {
    const site = builder.host('series').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/part/1'] });
    site.otherwise((request) => {
      const part = /^\/part\/(\d+)$/.exec(request.target)?.[1];
      if (part === undefined) return plainAnswer('missing', 404, 'text/plain', 'no such part\n');
      const links = [`/part/${Number(part) + 1}`];
      return { ...builder.article(site, request.target, { links })(request), kind: 'trap' };
    });
  },

  /** Links that remember the way: each is longer than the page it is on. */
  function trail(builder) {
    const site = builder.host('trail').robots(ALLOW_ALL);
    builder.tree(site, GOOD, { home: ['/way/'] });
    site.otherwise((request) => {
      const { target } = request;
      if (!target.startsWith('/way/')) return plainAnswer('missing', 404, 'text/plain', 'no way\n');
      const links = [`${target}${'x'.repeat(target.length + 100)}`];
      return { ...builder.article(site, target, { links })(request), kind: 'trap' };
    });
  },

  /** Pages without number close to the home page, which all differ and link to hundreds more. */
  function pool(builder) {
    const site = builder.host('pool').robots(ALLOW_ALL);
    const links = (from: string): string[] => {
      const random = randomFor(1, `pool ${from}`);
      return numbers(40).map(() => `/random/${random.below(1e9)}`);
    };
    builder.tree(site, GOOD, { home: [...ARTICLES, ...links('home')] });
    site.otherwise((request) => {
      const { target } = request;
      if (!/^\/random\/\d+$/.test(target)) return plainAnswer('missing', 404, 'text/plain', 'no such number\n');
      return { ...builder.article(site, target, { links: links(target), paragraphs: 1 })(request), kind: 'trap' };
    });
  },
];
