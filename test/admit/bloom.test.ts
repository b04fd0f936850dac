/** Admission over a Bloom filter: what it may lose, and what it may not. */
import { expect, test } from 'vitest';
import { BloomSeen, UNNAMED } from '../../src/dedupe/bloom-seen.js';
import { Decisions } from '../support/decisions.js';

/** A filter that takes every key for a known one. */
class Overflowing extends BloomSeen {
  override get(hi: number, lo: number): number {
    const id = this.exact.get(hi, lo);
    return id >= 0 ? id : UNNAMED;
  }
}

const crawl = () => {
  const seen = new Overflowing({ keys: 1000, bitsPerKey: 20, rate: null, secret: () => 1 });
  return new Decisions({ seen });
};

test('a link that the filter takes for a known one is lost, but a seed or the target of a redirect never is', () => {
  const decisions = crawl();
  expect(decisions.admit('http://a.test/link')).toBe(-1);
  expect(decisions.admit('http://a.test/seed', { seed: true })).toBe(0);
  expect(decisions.admit('http://a.test/moved', { hops: 1 })).toBe(1);
});

test('a URL in work is found by its key, so a redirect to its own other spelling keeps its lease', () => {
  const decisions = crawl();
  decisions.admit('http://a.test/page/', { seed: true });
  const asked = decisions.run(60_000, (target) =>
    target.endsWith('/page/')
      ? { status: 301, location: '/page' }
      : target.endsWith('/page')
        ? { body: 'x' }
        : { status: 404 },
  );
  expect(asked.map(({ target }) => target).filter((target) => target.includes('/page'))).toEqual([
    'http://a.test/page/',
    'http://a.test/page',
  ]);
  expect(decisions.changes.urls).toHaveLength(1);
});
