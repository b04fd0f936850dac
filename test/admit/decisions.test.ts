/** Admission, robots desk and settlement together with the frontier: what becomes known, and what is asked for. */
import { describe, expect, test } from 'vitest';
import { UrlState } from '../../src/frontier/url-table.js';
import { type Answer, Decisions } from '../support/decisions.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const isRobots = (target: string): boolean => target.endsWith('/robots.txt');
/** A server whose robots.txt says this; its pages answer 200. */
const withRobots =
  (robots: Answer, page: (target: string) => Answer = (target) => ({ body: target })) =>
  (target: string): Answer =>
    isRobots(target) ? robots : page(target);

describe('five seeds: three spellings of one page, one other page, one that robots forbid (seed B)', () => {
  const SEEDS = [
    'http://b.test/page',
    'HTTP://B.test:80/./page#part',
    'http://b.test/pag%65/?utm_source=x',
    'http://b.test/other',
    'http://b.test/private/x',
  ];

  test('three are known, two are fetched, one is denied', () => {
    const crawl = new Decisions();
    const ids = SEEDS.map((url) => crawl.admit(url, { seed: true, level: 0 }));
    expect(ids).toEqual([0, 0, 0, 1, 2]);
    const requests = crawl.run(MINUTE, withRobots({ body: 'User-agent: *\nDisallow: /private/' }));
    expect(requests.map(({ target }) => target)).toEqual([
      'http://b.test/robots.txt',
      'http://b.test/page',
      'http://b.test/other',
    ]);
    expect(crawl.changes.urls).toHaveLength(3);
    expect(crawl.changes.visits).toHaveLength(2);
    expect(crawl.changes.denied).toEqual([expect.objectContaining({ url: 2, denied: true })]);
    expect(crawl.frontier.urls.inState).toEqual([0, 0, 1, 2, 0]);
  });
});

describe('next', () => {
  test('rotates hosts and gives nothing for a host inside its delay', () => {
    const crawl = new Decisions();
    for (const host of ['a', 'b', 'c']) for (let i = 0; i < 4; i++) crawl.admit(`http://${host}.test/${i}`);
    const requests = crawl.run(30_000, withRobots({ status: 404 }));
    expect(requests).toHaveLength(3 * 5);
    const hosts = requests.map(({ target }) => new URL(target).hostname);
    for (let i = 0; i < hosts.length; i += 3) expect(new Set(hosts.slice(i, i + 3)).size).toBe(3);
    for (const host of new Set(hosts)) {
      const times = requests.filter((_, i) => hosts[i] === host).map(({ at }) => at);
      expect(times.slice(1).map((at, i) => at - times[i])).toEqual(new Array(4).fill(1_000));
    }
  });

  test('gives at most one lease a host and an address, whatever the room', () => {
    const crawl = new Decisions();
    crawl.addressOf = (host) => [host < 2 ? '192.0.2.1' : '192.0.2.2'];
    for (const host of ['a', 'b', 'c']) for (let i = 0; i < 3; i++) crawl.admit(`http://${host}.test/${i}`);
    const leases = crawl.turn(100);
    expect(leases.map(({ connectTo }) => connectTo).sort()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(crawl.turn(100)).toEqual([]);
  });

  test('keeps the delay of an address between its hosts, and serves all of them in turn', () => {
    const crawl = new Decisions();
    crawl.addressOf = () => ['192.0.2.1'];
    for (let host = 0; host < 5; host++) for (let i = 0; i < 3; i++) crawl.admit(`http://h${host}.test/${i}`);
    const requests = crawl.run(2 * MINUTE, withRobots({ status: 404 }));
    expect(requests).toHaveLength(5 * 4);
    expect(requests.slice(1).every(({ at }, i) => at - requests[i].at >= 1_000)).toBe(true);
    expect(new Set(requests.slice(0, 5).map(({ target }) => new URL(target).hostname)).size).toBe(5);
  });

  test('serves hosts of few addresses with fewer back queues than hosts, under every key', () => {
    for (const key of ['host+ip', 'ip', 'host'] as const) {
      const crawl = new Decisions({ frontier: { key, backQueues: 2, backQueuesMax: 2 } });
      crawl.addressOf = (host) => [`192.0.2.${host % 2}`];
      for (let host = 0; host < 8; host++) for (let i = 0; i < 3; i++) crawl.admit(`http://h${host}.test/${i}`);
      let first = true;
      const requests = crawl.run(6 * HOUR, (target) => {
        if (isRobots(target)) return { status: 404 };
        const retryAfterMs = 600_000; // under the key `ip`, the address owes it
        const throttles = first && target.includes('h3');
        if (throttles) first = false;
        return throttles ? { status: 429, retryAfterMs } : { body: target };
      });
      expect([key, requests.length]).toEqual([key, 8 * 4 + 1]);
    }
  });

  test('serves a line of hosts that is longer than the TTL of their address', () => {
    const crawl = new Decisions();
    crawl.addressOf = () => ['192.0.2.1'];
    crawl.ttl = 20_000;
    for (let host = 0; host < 60; host++) for (let i = 0; i < 3; i++) crawl.admit(`http://h${host}.test/${i}`);
    const requests = crawl.run(10 * MINUTE, withRobots({ status: 404 }));
    expect(requests).toHaveLength(60 * 4);
  });

  test('tries the next address after a failure, and charges nobody until all have failed', () => {
    const crawl = new Decisions();
    crawl.addressOf = () => ['192.0.2.1', '192.0.2.2'];
    const url = crawl.admit('http://a.test/');
    const [robots] = crawl.turn();
    crawl.answer(robots, { status: 0, code: 'connect.refused' });
    expect(crawl.changes.requests[0]).toMatchObject({ code: 'connect.elsewhere', kind: 'robots' });
    crawl.now += 1_000;
    const [again] = crawl.turn();
    expect([robots.connectTo, again.connectTo, again.target]).toEqual(['192.0.2.1', '192.0.2.2', robots.target]);
    crawl.answer(again, { status: 404 });
    crawl.now += 1_000;
    const [page] = crawl.turn();
    expect(page).toMatchObject({ url, connectTo: '192.0.2.2' });
    crawl.answer(page, { status: 0, code: 'connect.refused' });
    expect(crawl.frontier.urls.attempts(url)).toBe(0);
    crawl.now += 1_000;
    const [last] = crawl.turn();
    expect(last).toMatchObject({ url, connectTo: '192.0.2.1' });
    crawl.answer(last, { status: 0, code: 'connect.refused' });
    expect(crawl.frontier.urls.attempts(url)).toBe(1);
    expect(crawl.frontier.hosts.failures[0]).toBe(1);
  });
});

describe('a host that is given up', () => {
  function giveUp(crawl: Decisions, host: number): void {
    crawl.frontier.drop(host, crawl.now, 'connect.failed', 'gone', crawl.changes);
  }

  test('while its lease is out is not leased again until that has ended', () => {
    const crawl = new Decisions();
    for (let i = 0; i < 3; i++) crawl.admit(`http://a.test/${i}`);
    const [lease] = crawl.turn();
    giveUp(crawl, 0);
    crawl.admit('http://a.test/new');
    crawl.now += 10_000;
    expect(crawl.turn()).toEqual([]);
    crawl.answer(lease, { status: 404 });
    crawl.now += 10_000;
    expect(crawl.turn().map(({ target }) => target)).toEqual(['http://a.test/new']);
  });

  test('while its texts are being read loses none of them, and does not mind when they come', () => {
    const crawl = new Decisions();
    for (let i = 0; i < 3; i++) crawl.admit(`http://a.test/${i}`);
    crawl.resolve(crawl.next().resolve[0]);
    const [request] = crawl.next().load;
    expect(request.urls).toHaveLength(3);
    giveUp(crawl, 0);
    expect(crawl.frontier.urls.inState[UrlState.dead]).toBe(3);
    crawl.frontier.loaded(request, [], crawl.now);
    expect(crawl.turn()).toEqual([]);
    expect(crawl.frontier.underWay).toBe(0);
  });

  test('while an address is promised to it does not close the address to others', () => {
    const crawl = new Decisions();
    crawl.addressOf = () => ['192.0.2.1'];
    crawl.admit('http://a.test/');
    crawl.admit('http://b.test/');
    const [first] = crawl.turn();
    crawl.answer(first, { status: 404 });
    expect(crawl.turn()).toEqual([]); // the address's delay: the other host has the promise
    giveUp(crawl, 1 - first.host);
    const requests = crawl.run(MINUTE);
    expect(requests.map(({ target }) => new URL(target).hostname)).toContain(new URL(first.target).hostname);
  });
});

describe('robots.txt', () => {
  test('that fails lets nothing through until it answers', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/');
    let answers = 0;
    const requests = crawl.run(HOUR, (target) =>
      isRobots(target) ? (++answers < 4 ? { status: 500 } : { body: '' }) : {},
    );
    expect(requests.map(({ target }) => isRobots(target))).toEqual([true, true, true, true, false]);
    expect(requests[1].at - requests[0].at).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(requests[3].at - requests[2].at).toBeGreaterThanOrEqual(20 * MINUTE);
  });

  test('that asks for more than an hour between requests closes its own origin, and says which', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/closed');
    crawl.admit('http://a.test:8080/open');
    const requests = crawl.run(MINUTE, (target) => {
      if (!isRobots(target)) return { body: target };
      return target.includes(':8080') ? { status: 404 } : { body: 'User-agent: *\nCrawl-delay: 3601' };
    });
    expect(requests.map(({ target }) => target).filter((target) => !isRobots(target))).toEqual([
      'http://a.test:8080/open',
    ]);
    expect(crawl.changes.hostEvents.map(({ kind, words }) => `${kind}: ${words}`)).toEqual([
      'crawl-delay: Crawl-delay of 3601 s is more than we wait: nothing of http://a.test is fetched',
    ]);
    expect(crawl.frontier.urls.inState[UrlState.denied]).toBe(1);
  });

  test('sets its Crawl-delay from the request on that brought it', () => {
    const crawl = new Decisions();
    for (let i = 0; i < 3; i++) crawl.admit(`http://a.test/${i}`);
    const requests = crawl.run(MINUTE, withRobots({ body: 'User-agent: *\nCrawl-delay: 7' }));
    expect(requests.slice(1).map(({ at }, i) => at - requests[i].at)).toEqual([7_000, 7_000, 7_000]);
  });

  test('is followed across hosts, each hop at the clock of its host', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/private');
    crawl.admit('http://a.test/public');
    const requests = crawl.run(MINUTE, (target) => {
      if (target === 'http://a.test/robots.txt') return { status: 301, location: 'http://b.test/rules' };
      return target === 'http://b.test/rules' ? { body: 'User-agent: *\nDisallow: /private' } : { body: target };
    });
    expect(requests.map(({ target }) => target)).toEqual([
      'http://a.test/robots.txt',
      'http://b.test/rules',
      'http://a.test/public',
    ]);
    expect(crawl.changes.denied).toHaveLength(1);
  });

  test('allows all after five redirects, and only then', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/');
    const requests = crawl.run(MINUTE, (target) =>
      target === 'http://a.test/' ? {} : { status: 302, location: `${target}x` },
    );
    expect(requests).toHaveLength(1 + 5 + 1);
    expect(requests.at(-1)!.target).toBe('http://a.test/');
  });

  test('allows nothing where it redirects to a host that is one too many of its domain', () => {
    const crawl = new Decisions({ admission: { hostsPerDomain: 1 } });
    crawl.admit('http://a.site.test/');
    const elsewhere = withRobots({ status: 301, location: 'http://b.site.test/robots.txt' });
    const requests = crawl.run(HOUR, elsewhere);
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.every(({ target }) => isRobots(target))).toBe(true);
    expect(crawl.changes.robots[0]).toMatchObject({ code: 'redirect', failures: 1 });
  });

  test('allows nothing where it redirects to a host that does not exist; asks ever more rarely, and gives up', () => {
    const crawl = new Decisions();
    const url = crawl.admit('http://a.test/');
    const nowhere = crawl.frontier.addHost('nowhere.test', 'nowhere.test', null, false, crawl.now);
    const resolve = crawl.resolve.bind(crawl);
    crawl.resolve = (host) => {
      if (host !== nowhere) return resolve(host);
      crawl.frontier.resolved(host, { code: 'dns.nxdomain', words: 'no such host' }, crawl.now, crawl.changes);
    };
    const requests = crawl.run(40 * DAY, withRobots({ status: 301, location: 'http://nowhere.test/robots.txt' }));
    expect(requests.every(({ target }) => target === 'http://a.test/robots.txt')).toBe(true);
    expect(requests.length).toBeLessThan(60);
    expect(crawl.frontier.urls.state(url)).toBe(UrlState.dead);
  });

  test('of one origin does not hold back the other origins of its host', () => {
    const crawl = new Decisions();
    for (let i = 0; i < 6; i++) crawl.admit(`http://a.test/${i}`);
    const fails = (target: string): Answer =>
      target === 'http://a.test/robots.txt' ? { status: 500 } : isRobots(target) ? { status: 404 } : { body: target };
    crawl.run(2 * HOUR, fails);
    crawl.admit('http://a.test:8080/late'); // the host sleeps until its other robots.txt is asked again
    const requests = crawl.run(20 * MINUTE, fails);
    expect(requests.map(({ target }) => target)).toContain('http://a.test:8080/late');
  });

  test('that was not fetched after all is the next thing to be fetched', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/');
    const [lease] = crawl.turn();
    crawl.answer(lease, { status: 0, code: 'lease.returned' });
    expect(crawl.changes.robots).toEqual([]);
    crawl.now += 1_000;
    expect(crawl.turn().map(({ target }) => target)).toEqual(['http://a.test/robots.txt']);
  });

  test('is asked again about what it denied when it changes', () => {
    const crawl = new Decisions();
    const url = crawl.admit('http://a.test/private');
    crawl.admit('http://a.test/');
    let robots = 'User-agent: *\nDisallow: /private';
    const server = (target: string): Answer => (isRobots(target) ? { body: robots } : { body: target });
    crawl.run(MINUTE, server);
    expect(crawl.frontier.urls.state(url)).toBe(UrlState.denied);
    robots = '';
    crawl.now += DAY;
    crawl.admit('http://a.test/other');
    const requests = crawl.run(MINUTE, server);
    expect(requests.map(({ target }) => target)).toContain('http://a.test/private');
    expect(crawl.changes.denied.map(({ denied }) => denied)).toEqual([true, false]);
  });
});

describe('a redirect to another spelling of the same page', () => {
  const moves = (target: string): Answer =>
    target.endsWith('/page') ? { status: 301, location: `${target}/` } : { body: 'x' };

  test('goes on with the lease after the full delay', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/page');
    const requests = crawl.run(MINUTE, withRobots({ status: 404 }, moves));
    expect(requests.map(({ target }) => target)).toEqual([
      'http://a.test/robots.txt',
      'http://a.test/page',
      'http://a.test/page/',
    ]);
    expect(requests[2].at - requests[1].at).toBe(1_000);
    expect(crawl.changes.urls).toHaveLength(1);
    expect(crawl.changes.visits).toEqual([expect.objectContaining({ url: 0, finalUrl: 'http://a.test/page/' })]);
  });

  test('is denied if robots forbid that spelling', () => {
    const crawl = new Decisions();
    const url = crawl.admit('http://a.test/page');
    const requests = crawl.run(MINUTE, withRobots({ body: 'User-agent: *\nDisallow: /page/' }, moves));
    expect(requests.map(({ target }) => target)).toEqual(['http://a.test/robots.txt', 'http://a.test/page']);
    expect(crawl.frontier.urls.state(url)).toBe(UrlState.denied);
  });

  test('is given up without a request if a program refuses that spelling', () => {
    const refuses = (_host: number, { target }: { target: string }) => target.endsWith('/') || target.endsWith('/no');
    const crawl = new Decisions({ frontier: { refuses } });
    const urls = ['http://a.test/page', 'http://a.test/no'].map((url) => crawl.admit(url));
    const requests = crawl.run(MINUTE, withRobots({ status: 404 }, moves));
    expect(requests.map(({ target }) => target)).toEqual(['http://a.test/robots.txt', 'http://a.test/page']);
    expect(crawl.changes.requests).toHaveLength(2);
    expect(crawl.changes.dead.map(({ url, code }) => [url, code]).sort()).toEqual(
      urls.map((url) => [url, 'guard.hook']),
    );
    expect(crawl.frontier.urls.inState).toEqual([0, 0, 0, 0, 2]);
    expect(crawl.frontier.underWay).toBe(0);
  });

  test('ends after five of them, and at once where it leads to itself', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/loop');
    crawl.admit('http://b.test/turn');
    const requests = crawl.run(MINUTE, (target) => {
      if (isRobots(target)) return { status: 404 };
      if (target.endsWith('/loop')) return { status: 302, location: target };
      return { status: 302, location: target.endsWith('/') ? target.slice(0, -1) : `${target}/` };
    });
    const pages = requests.map(({ target }) => target).filter((target) => !isRobots(target));
    expect(pages.filter((target) => target.includes('loop'))).toHaveLength(1);
    expect(pages.filter((target) => target.includes('turn'))).toHaveLength(6);
    expect(crawl.changes.visits.map(({ code }) => code)).toEqual(['redirect.chain', 'redirect.chain']);
  });

  test('is a fault where it closes a circle of several URLs, and none where it leads to a page that others led to', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/1');
    crawl.admit('http://b.test/old');
    crawl.admit('http://b.test/older');
    const to: Record<string, string> = { '/1': '/2', '/2': '/3', '/3': '/1', '/old': '/new', '/older': '/new' };
    crawl.run(2 * MINUTE, (target) => {
      const location = to[new URL(target).pathname];
      if (isRobots(target)) return { status: 404 };
      return location === undefined ? { status: 200 } : { status: 302, location: new URL(location, target).href };
    });
    const { urls, visits } = crawl.changes;
    const codes = Object.fromEntries(visits.map(({ url, code }) => [new URL(urls[url].url).pathname, code]));
    expect(codes).toMatchObject({ '/1': 'redirect', '/2': 'redirect', '/3': 'redirect.chain' });
    expect(codes).toMatchObject({ '/old': 'redirect', '/older': 'redirect', '/new': 'ok' });
  });
});

describe('admission', () => {
  test('refuses by depth, hosts of a domain and budget, each under its name, and lets seeds pass the budget', () => {
    const crawl = new Decisions({ admission: { budget: () => 2, hostsPerDomain: 1 } });
    const ids = [
      crawl.admit('http://a.site.test/1'),
      crawl.admit('http://a.site.test/2'),
      crawl.admit('http://a.site.test/3'),
      crawl.admit('http://b.site.test/1'),
      crawl.admit('http://a.other.test/1', { depth: 17 }),
      crawl.admit('http://a.site.test/seed', { seed: true }),
    ];
    expect(ids).toEqual([0, 1, -1, -1, -1, 2]);
    expect({ ...crawl.admission.refusals.counts }).toEqual({ budget: 1, hosts: 1, depth: 1 });
  });

  test('takes the links of a page in once, and none of a page whose content is held already', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/1');
    crawl.admit('http://a.test/2');
    const server = withRobots({ status: 404 }, (target) =>
      /\/[12]$/.test(target) ? { body: target, links: ['/x', '/x#y', '/1', 'http://b.test/'] } : { body: target },
    );
    crawl.run(MINUTE, server);
    expect(crawl.changes.urls.map(({ url }) => url)).toEqual([
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/x',
      'http://b.test/',
    ]);
  });

  test('asks robots that are known, so that what they deny never enters a queue', () => {
    const crawl = new Decisions();
    crawl.admit('http://a.test/');
    crawl.run(MINUTE, withRobots({ body: 'User-agent: *\nDisallow: /private' }));
    const url = crawl.admit('http://a.test/private');
    expect(crawl.frontier.urls.state(url)).toBe(UrlState.denied);
    expect(crawl.frontier.hosts.queued[0]).toBe(0);
  });
});
