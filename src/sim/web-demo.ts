/**
 * The web of the demo: about fifty small hosts with one of everything that a crawler meets. The ordinary hosts are
 * here; those with something to look out for are in `web-demo-odd.ts`.
 */
import { plainAnswer, redirectAnswer, type SyntheticWeb, type WebPlace } from './web.js';
import { DemoBuilder } from './web-demo-builder.js';
import { addOddHosts } from './web-demo-odd.js';

/** Ordinary hosts: their names say what they are about, and nothing else does. */
const ORDINARY = [
  ...['harbour', 'orchard', 'foundry', 'granary', 'lantern', 'meadow', 'quarry', 'tannery', 'weaver', 'cooper'],
  ...['glacier', 'estuary', 'moorland', 'prairie', 'lagoon', 'canyon', 'heath', 'fjord', 'savanna', 'tundra'],
  ...['almanac', 'gazette', 'atlas', 'chronicle', 'primer', 'ledger', 'folio', 'digest'],
];
/** Articles of an ordinary host; it has two pages more. */
const ORDINARY_ARTICLES = 32;

/** The web of `saunter demo`. Its one seed is a portal that links to every home page. What it promises as reachable
 * includes the pages of the mirror, which a crawl that does not follow the links of duplicates leaves out. */
export function createDemoWeb(seed: number, place: WebPlace): SyntheticWeb {
  const builder = new DemoBuilder(seed, place);
  ORDINARY.forEach((name, index) => {
    addOrdinaryHost(builder, name, index);
  });
  addOddHosts(builder);
  const down = [builder.reserve('shut')];
  const links = [...builder.sites.keys(), ...down].map((host) => builder.url(host, '/'));
  const portal = builder.host('portal').robots('User-agent: *\nDisallow:\n');
  portal.page('/', builder.article(portal, '/', { links }));

  const sites = [...builder.sites.values()];
  return {
    seeds: [builder.url(portal.host, '/')],
    hosts: sites.map((site) => site.host),
    down,
    answer: (request) =>
      builder.sites.get(request.host)?.answer(request) ?? plainAnswer('error', 421, 'text/plain', 'no such host\n'),
    reachable: () => sites.flatMap((site) => site.pages.map((page) => builder.url(site.host, page))).sort(),
  };
}

/** A host as most are: a tree of pages, some rules, a redirect, a link to nowhere. */
function addOrdinaryHost(builder: DemoBuilder, name: string, index: number): void {
  const site = builder.host(name);
  site.robots(
    'User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: /private/welcome\n',
    (target) => (target.startsWith('/private/') && target !== '/private/welcome') || target.includes('?print='),
  );
  builder.tree(site, ORDINARY_ARTICLES, {
    coding: (['gzip', 'br', undefined] as const)[index % 3],
    home: ['/private/accounts', '/private/welcome', '/old-start', '/guide', '/lost', '/?print=1'],
  });
  site.page('/private/welcome', builder.article(site, '/private/welcome'));
  site.route('/private/accounts', builder.article(site, '/private/accounts'));
  site.route('/?print=1', builder.article(site, '/?print=1'));
  site.route('/old-start', () => redirectAnswer(301, '/'));
  // The guide has one key and two spellings, and only the one with the slash is a page.
  site.promise('/guide').route('/guide', () => redirectAnswer(301, '/guide/'));
  site.route('/guide/', builder.article(site, '/guide/'));
}
