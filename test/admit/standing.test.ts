/** What a host is to the crawl: whose budget it has, and whether it may be in a range that was opened. */
import { describe, expect, test } from 'vitest';
import { UNREAD } from '../../src/admit/admission.js';
import { Decisions } from '../support/decisions.js';

const budget = (_: string, isSeed: boolean): number => (isSeed ? 4 : 2);
const said = (crawl: Decisions): string[] => crawl.changes.hostEvents.map(({ host, kind }) => `${kind} ${host}`);
const facts = ({ frontier: { hosts } }: Decisions, host = 0): number[] => [
  ...[hosts.budget[host], hosts.named[host], hosts.seed[host]],
];

describe('a host that was met by a link', () => {
  test.each([
    ['/', 'the URL that was linked'],
    ['/other', 'another URL of it'],
  ])('is named and has the budget of seeds once %s is given (%s)', (path) => {
    const crawl = new Decisions({ admission: { budget } });
    crawl.admit('http://a.test/');
    expect(facts(crawl)).toEqual([2, 0, 0]);
    crawl.admit(`http://a.test${path}`, { seed: true, depth: 0 });
    expect(facts(crawl)).toEqual([4, 1, 1]);
    expect(said(crawl)).toEqual(['named 0', 'seed 0']);
    crawl.admit(`http://a.test${path}`, { seed: true, depth: 0 });
    expect(said(crawl)).toHaveLength(2);
    // nothing was refused
    expect(crawl.changes.meta).toEqual([]);
  });

  test('and had no room left has links to be found again', () => {
    const crawl = new Decisions({ admission: { budget } });
    for (const path of ['1', '2', '3']) crawl.admit(`http://a.test/${path}`);
    expect(crawl.admission.refusals.counts.budget).toBe(1);
    crawl.admit('http://a.test/1', { seed: true, depth: 0 });
    expect(crawl.changes.meta).toEqual([[UNREAD, '1']]);
    expect(crawl.admit('http://a.test/3')).toBe(2);
  });

  test('has the budget of seeds when a seed redirects there, and is not named for that', () => {
    const crawl = new Decisions({ admission: { budget } });
    crawl.admit('http://a.test/');
    crawl.admit('http://a.test/', { seed: true, depth: 0, hops: 1 });
    expect([facts(crawl), said(crawl)]).toEqual([[4, 0, 1], ['seed 0']]);
  });

  test('is named by a page inside of an opened range, whether the URL is new or not', () => {
    for (const path of ['/', '/new']) {
      const crawl = new Decisions();
      crawl.admit('http://a.test/');
      const { keyHi, keyLo, url } = crawl.keyed(`http://a.test${path}`);
      const place = { kind: 'page', depth: 1, hops: 0, via: -1, level: null, priority: null, seed: false } as const;
      crawl.admission.admit({ keyHi, keyLo, url, ...place }, true, crawl.now, crawl.changes);
      expect(said(crawl)).toEqual(['named 0']);
    }
  });
});

describe('a new host', () => {
  test('of a seed needs no event: its rows say it', () => {
    const crawl = new Decisions({ admission: { budget } });
    crawl.admit('http://a.test/', { seed: true, depth: 0 });
    expect([facts(crawl), said(crawl), crawl.changes.hosts[0].named]).toEqual([[4, 1, 1], [], true]);
  });

  test('where a seed redirects to has the budget of seeds, and is not named', () => {
    const crawl = new Decisions({ admission: { budget } });
    crawl.admit('http://a.test/', { seed: true, depth: 0, hops: 1 });
    expect([facts(crawl), said(crawl), crawl.changes.hosts[0].named]).toEqual([[4, 0, 1], ['seed 0'], false]);
  });
});

test('a run has its own budgets for hosts of earlier runs, larger or smaller', () => {
  let [links, seeds] = [2, 4];
  const crawl = new Decisions({ admission: { budget: (_, isSeed) => (isSeed ? seeds : links) } });
  crawl.admit('http://a.test/', { seed: true, depth: 0 });
  crawl.admit('http://b.test/');
  [links, seeds] = [9, 3];
  crawl.admission.reconsider();
  expect([facts(crawl, 0)[0], facts(crawl, 1)[0]]).toEqual([3, 9]);
});
