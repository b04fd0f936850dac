import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NormalUrl, normalizeUrl } from '../../src/url/normalize.js';
import { TrapGuards } from '../../src/url/traps.js';

const SECRET = new Uint8Array(16);
function url(text: string): NormalUrl {
  const normal = normalizeUrl(text);
  if (normal.url === null) throw new Error(`${text} is no URL`);
  return normal;
}
const check = (text: string, depth = 0) => new TrapGuards(SECRET).check(url(text), depth);

describe('trap guards', () => {
  it('let 1,000 bytes pass and no more', () => {
    const start = 'http://a.com/';
    expect(check(start + 'x'.repeat(1_000 - start.length))).toBeNull();
    expect(check(start + 'x'.repeat(1_001 - start.length))).toBe('length');
    expect(check(`${start}?${'é'.repeat(200)}`)).toBe('length');
  });

  it('let a depth of 16 pass and no more', () => {
    expect(check('http://a.com/', 16)).toBeNull();
    expect(check('http://a.com/', 17)).toBe('depth');
  });

  it('let a path segment occur three times and no more, wherever it stands', () => {
    expect(check('http://a.com/a/a/a')).toBeNull();
    expect(check('http://a.com/a/b/a/b/a/b')).toBeNull();
    expect(check('http://a.com/a/b/a/c/a/d/a')).toBe('repeat');
    expect(check('http://a.com/x/a/a/a/a/y?z')).toBe('repeat');
    expect(check('http://a.com/x//////y')).toBe('repeat');
    expect(check('http://a.com/x?/a/a/a/a')).toBeNull();
    expect(check('http://a.com/1/2/3/4/5/6/7/8/9')).toBeNull();
  });

  it('count the segments of any path as a map would', () => {
    const segment = fc.constantFrom('', 'a', 'b', 'aa', 'ab', 'c', 'd', 'e', 'f1', 'g');
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 16 }), fc.integer({ min: 1, max: 4 }), (segments, repeat) => {
        const counts = new Map<string, number>();
        for (const name of segments) counts.set(name, (counts.get(name) ?? 0) + 1);
        const most = Math.max(0, ...counts.values());
        const form = `http://a.com/${segments.join('/')}`;
        const path = { url: form, fetch: form, host: 'a.com', origin: 'http://a.com', removed: [] };
        expect(new TrapGuards(SECRET, { repeat }).check(path, 0)).toBe(most > repeat ? 'repeat' : null);
      }),
    );
  });

  it('let a path have 1,000 distinct queries and no more, each path and host for itself', () => {
    const guards = new TrapGuards(SECRET);
    for (let i = 0; i < 1_000; i++) {
      const next = url(`http://a.com/calendar?day=${i}`);
      expect(guards.check(next, 0)).toBeNull();
      guards.count(next);
    }
    expect(guards.check(url('http://a.com/calendar?day=1000'), 0)).toBe('queries');
    expect(guards.check(url('http://a.com/calendar'), 0)).toBeNull();
    expect(guards.check(url('http://a.com/other?day=1'), 0)).toBeNull();
    expect(guards.check(url('http://b.com/calendar?day=1'), 0)).toBeNull();
    expect(guards.check(url('https://a.com/calendar?day=1'), 0)).toBeNull();
  });

  it('change nothing by being asked', () => {
    const guards = new TrapGuards(SECRET, { queries: 1 });
    const calendar = url('http://a.com/calendar?day=1');
    for (let i = 0; i < 5; i++) expect(guards.check(calendar, 0)).toBeNull();
    guards.count(calendar);
    expect(guards.check(url('http://a.com/calendar?day=2'), 0)).toBe('queries');
  });

  it('never count too few, and not many too much when the sketch is crowded', () => {
    const guards = new TrapGuards(SECRET, { sketchBytes: 16 * 1024 });
    const paths = 5_000;
    for (let i = 0; i < paths; i++) for (let q = 0; q < 1 + (i % 3); q++) guards.count(url(`http://a.com/${i}?q=${q}`));
    let over = 0;
    for (let i = 0; i < paths; i++) {
      const counted = guards.queriesOf(url(`http://a.com/${i}?x`));
      expect(counted).toBeGreaterThanOrEqual(1 + (i % 3));
      over += counted - (1 + (i % 3));
    }
    expect(over / paths).toBeLessThan(5);
  });

  it('give the same verdicts under the same secret', () => {
    const run = () => {
      const guards = new TrapGuards(
        Uint8Array.from({ length: 16 }, (_, i) => i),
        { sketchBytes: 256 },
      );
      for (let i = 0; i < 500; i++) guards.count(url(`http://a.com/${i % 40}?q=${i}`));
      return Array.from({ length: 40 }, (_, i) => guards.queriesOf(url(`http://a.com/${i}?q`)));
    };
    expect(run()).toEqual(run());
  });

  it('take their limits from the caller', () => {
    const guards = new TrapGuards(SECRET, { length: 20, depth: 1, repeat: 1 });
    expect(guards.check(url('http://a.com/abcdefgh'), 0)).toBe('length');
    expect(guards.check(url('http://a.com/'), 2)).toBe('depth');
    expect(guards.check(url('http://a.com/a/a'), 0)).toBe('repeat');
  });
});
