/** Pages that killed a page worker: each has the next one for itself, and they wait for each other. */
import { expect, test } from 'vitest';
import { UrlState } from '../../src/frontier/url-table.js';
import { type Answer, Decisions } from '../support/decisions.js';

const CRASH: Answer = { status: 0, code: 'worker.crash' };
const NO_ROBOTS: Answer = { status: 404 };
/** The first wait of the ladder. */
const AGAIN = 30_000;

/** A crawl in which `/poison` of each host has killed a worker, and is due again beside `/next`. */
function poisoned(hosts: readonly string[]): Decisions {
  const d = new Decisions();
  for (const host of hosts) d.admit(`http://${host}/poison`);
  d.run(5_000, (target) => (target.endsWith('/poison') ? CRASH : NO_ROBOTS));
  d.now += AGAIN;
  d.turn(0); // they are due, and stand before what comes now
  for (const host of hosts) d.admit(`http://${host}/next`);
  return d;
}

test('a page that killed a worker is alone from its second attempt on, until it succeeds', () => {
  const d = new Decisions();
  const url = d.admit('http://a.test/poison');
  const [robots] = d.turn();
  expect(robots.alone).toBe(false);
  d.answer(robots, NO_ROBOTS);
  d.now += 1_000;
  const [first] = d.turn();
  expect([first.target, first.alone]).toEqual(['http://a.test/poison', false]);
  d.answer(first, CRASH);

  d.now += AGAIN;
  const [second] = d.turn();
  expect([second.target, second.alone]).toEqual(['http://a.test/poison', true]);
  d.answer(second, { status: 500 }); // a failure of another kind forgives nothing
  d.now += 200_000;
  const [third] = d.turn();
  expect([third.target, third.alone]).toEqual(['http://a.test/poison', true]);
  d.answer(third);
  expect(d.frontier.urls.state(url)).toBe(UrlState.done);
  expect(d.frontier.retries.hasKilled(url)).toBe(false);
});

test('a page that kills the worker which it has for itself is a dead letter, with its history', () => {
  const d = poisoned(['a.test']);
  const lease = d.turn().find(({ alone }) => alone)!;
  d.answer(lease, { status: 0, code: 'worker.hang-alone' });
  expect(d.changes.dead).toMatchObject([
    { url: lease.url, code: 'worker.hang-alone', history: [{ code: 'worker.crash' }, { code: 'worker.hang-alone' }] },
  ]);
});

test('one page is alone at a time: the others wait without holding up their hosts', () => {
  const hosts = ['a.test', 'b.test', 'c.test'];
  const d = poisoned(hosts);
  const leases = d.turn();
  expect(leases.filter(({ alone }) => alone)).toHaveLength(1);
  expect(leases).toHaveLength(3); // the other two go on with another page
  for (const lease of leases.filter(({ alone }) => !alone)) d.answer(lease);
  for (let seconds = 0; seconds < 20; seconds++) {
    d.now += 1_000;
    for (const lease of d.turn()) {
      expect(lease.alone).toBe(false);
      d.answer(lease);
    }
  }
  expect(d.frontier.waiting(d.now)).toMatchObject({ retry: { urls: 2 } });

  d.answer(leases.find(({ alone }) => alone)!, { status: 0, code: 'worker.crash-alone' });
  const requests = d.run(30_000, (target) => (target.endsWith('/poison') ? { code: 'worker.crash-alone' } : {}));
  expect(requests.map(({ target }) => target).filter((target) => target.endsWith('/poison'))).toHaveLength(2);
  expect(d.changes.dead).toHaveLength(3);
  expect(d.frontier.underWay).toBe(0);
});
