import { describe, expect, it } from 'vitest';
import { NearPages } from '../../src/dedupe/near-pages.js';

describe('the near-duplicate index by URL', () => {
  it('never calls a URL the duplicate of its own earlier page', () => {
    const near = new NearPages(0);
    near.keep(1, 1, 7);
    expect(near.find(1, 1, 7)).toBe(-1);
    expect(near.find(1, 3, 8)).toBe(7);
  });

  it('forgets what a page was before it changed, went away or became a copy', () => {
    const near = new NearPages(0);
    near.keep(1, 1, 7);
    near.keep(0xf0f0f0f0, 0, 7);
    expect([near.find(1, 1, 8), near.find(0xf0f0f0f0, 1, 8)]).toEqual([-1, 7]);
    near.drop(7);
    expect(near.find(0xf0f0f0f0, 0, 8)).toBe(-1);
    near.keep(0xf0f0f0f0, 0, 7);
    expect(near.find(0xf0f0f0f0, 0, 8)).toBe(7);
  });

  it('keeps to a smaller distance if it is told to', () => {
    const near = new NearPages(0, 1);
    near.keep(0, 0, 7);
    expect([near.find(0, 1, 8), near.find(0, 3, 8)]).toEqual([7, -1]);
  });

  it('moves into a larger index as it grows, and finds the same all the while', () => {
    const hash = (url: number): [number, number] => [
      Math.imul(url, 0x9e3779b1) >>> 0,
      Math.imul(url, 0x85ebca6b) >>> 0,
    ];
    const near = new NearPages(0, 3, 1_000);
    const missed: number[] = [];
    for (let url = 0; url < 5_000; url++) {
      near.keep(...hash(url), url);
      if (url % 10 === 3) near.drop(url - 1);
      for (const known of [0, url >> 1, url]) {
        if (known % 10 !== 2 && near.find(...hash(known), 99_999) !== known) missed.push(known);
      }
    }
    expect(missed).toEqual([]);
    expect([2, 4_992].map((url) => near.find(...hash(url), 99_999))).toEqual([-1, -1]);
  });

  it('loads what was deferred in pieces, in the order in which it was kept', () => {
    const near = new NearPages(0);
    near.defer();
    for (let url = 0; url < 10_000; url++)
      near.keep(Math.imul(url, 0x9e3779b1) >>> 0, Math.imul(url, 0x85ebca6b) >>> 0, url);
    near.keep(5, 5, 3); // a page changed, another went away
    near.drop(4);
    let turns = 1;
    while (!near.load()) turns++;
    near.keep(9, 9, 10_000);
    expect([near.isLoaded, near.size]).toEqual([true, 10_002]);
    expect(turns).toBeGreaterThan(1);
    const of = (url: number) => near.find(Math.imul(url, 0x9e3779b1) >>> 0, Math.imul(url, 0x85ebca6b) >>> 0, 99_999);
    expect([of(1), of(2), of(3), of(4), of(9_999)]).toEqual([1, 2, -1, -1, 9_999]);
    expect([near.find(5, 5, 99_999), near.find(9, 9, 99_999)]).toEqual([3, 10_000]);
  });
});
