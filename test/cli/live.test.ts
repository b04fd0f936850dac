import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changes, noChanges } from '../../src/changes.js';
import { Live } from '../../src/cli/live.js';
import { liveLines, sparkline } from '../../src/cli/live-view.js';
import { Terminal } from '../../src/cli/terminal.js';
import { fitParts, shorten, width } from '../../src/cli/text-columns.js';
import type { CrawlProgress } from '../../src/crawl-options.js';
import type { LiveFigures } from '../../src/embedded/live.js';
import type { OpenedCrawl } from '../../src/embedded/open.js';
import { Screen } from '../support/screen.js';
import { Kept } from './process.js';

const progress: CrawlProgress = {
  ...{ state: 'crawling', pages: 1234, bytes: 5e6, hosts: 12, pending: 345, inFlight: 5 },
  ...{ seconds: 83, pagesPerSecond: 12.34 },
};
const figures: LiveFigures = {
  hosts: { known: 12, active: 5, waiting: 3, queued: 2 },
  urls: { known: 1890, pending: 345 },
  duplicates: { exact: 12, near: 3 },
  robotsDenied: 8,
  deadLetters: 0,
  errors: [['http.gone', 12], ['connect.timeout', 3]], // biome-ignore format: short
  recent: [{ url: 'http://a.test/x', status: 200, code: 'ok', bytes: 12_345, repeats: true }],
};
const look = { columns: 80, rows: 24, unicode: true };

/** A stream that is also looked at as a screen. */
class Shown extends Kept {
  readonly screen: Screen;
  rows = 24;
  writes = 0;
  constructor(columns = 80) {
    super(true);
    this.columns = columns;
    this.screen = new Screen(columns);
  }
  override write(text: string): boolean {
    this.writes++;
    this.screen.write(text);
    return super.write(text);
  }
}

/** A crawl that is being shown, on a clock that the test moves. */
async function shown(err: Shown, env: NodeJS.ProcessEnv = { LANG: 'C.UTF-8' }) {
  const terminal = new Terminal(new Kept(true), err, env);
  const clock = { now: 0 };
  const live = new Live(terminal, 'my-crawl', () => clock.now);
  const opened = {
    heard: [] as OpenedCrawl['heard'],
    frontier: { leases: { size: 5 }, back: { held: 8 }, front: { size: 2 }, hosts: { size: 12 }, hostsMet: 12, revisits: { overdue: 0 }, urls: { size: 1890, inState: [345] } },
    tally: { errors: { 'http.gone': 12 }, duplicates: 12, nearDuplicates: 3, robotsDenied: 8, deadLetters: 1 },
    crawl: { unresolved: { 'dns.failed': 2 } },
  }; // biome-ignore format: short
  await live.attending(async () => ({ close: async () => {} }))(opened as unknown as OpenedCrawl);
  const commit = (requests: Partial<Changes['requests'][number]>[]) => {
    for (const hear of opened.heard) hear({ ...noChanges(), requests: requests as Changes['requests'] });
  };
  const show = (more: Partial<CrawlProgress> = {}) => {
    live.show({ ...progress, ...more });
    clock.now += 250;
  };
  return { terminal, show, commit, clock };
}

describe('the lines of a running crawl', () => {
  it('say what it does, what it waits for and what came last', () => {
    expect(liveLines('my-crawl', progress, figures, [1, 2, 4, 8], look).join('\n')).toMatchInlineSnapshot(`
      "my-crawl                                                     crawling · 1m23s
      pages     1,234 · 12.3/s ▂▃▅█ · 5 MB
      hosts     12 known · 5 active · 3 in their delay · 2 queued
      URLs      345 pending of 1,890
      repeats   12 exact · 3 near · 8 forbidden by robots
      failures  http.gone 12 · connect.timeout 3
        200 ok (copy)           12.3 kB  http://a.test/x"
    `);
  });

  it('are ASCII where the terminal shows nothing else', () => {
    const lines = liveLines('my-crawl', { ...progress, state: 'waiting', nextIn: 61_000 }, figures, [1, 2], {
      ...look,
      unicode: false,
    });
    expect(lines.join('')).toMatch(/^[ -~]+$/);
    expect(lines[0]).toMatch(/^my-crawl +next in 1m1s, 1m23s$/);
  });

  it('are never wider than the terminal, nor steer it, whatever the web says', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
    );
    fc.assert(
      fc.property(text, text, fc.integer({ min: 40, max: 200 }), (dir, url, columns) => {
        const recent = [{ url, status: 200, code: 'ok', bytes: 1, repeats: false }] as const;
        for (const line of liveLines(dir, progress, { ...figures, recent }, [], { ...look, columns })) {
          expect(width(line)).toBeLessThanOrEqual(columns - 3);
          expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e]/);
        }
      }),
    );
  });

  it('cut no figure within, however narrow', () => {
    for (let columns = 40; columns <= 80; columns++) {
      const lines = liveLines('my-crawl', progress, figures, [1, 2], { ...look, columns });
      const parts = lines.slice(1, 6).flatMap((line) => line.slice(10).split(/ \u00b7 | \.\.\.$/)).filter((part) => part !== ''); // biome-ignore format: short
      const whole = liveLines('my-crawl', progress, figures, [1, 2], { ...look, columns: 200 }).join(' \u00b7 ');
      for (const part of parts) expect(whole).toContain(part);
    }
    expect(fitParts(['1m23s', '1,234 pages', '12.3/s', '5 MB'], ' \u00b7 ', 19)).toBe('1m23s \u00b7 1,234 pages');
    expect(fitParts(['1m23s', '1,234 pages', '12.3/s', '5 MB'], ' \u00b7 ', 24)).toBe('1m23s \u00b7 1,234 pages ...');
  });

  it('leave the origin of pages away where all have one and there is no room, and cut long paths in the middle', () => {
    const page = { status: 200, code: 'ok', bytes: 1, repeats: false } as const;
    const at = (columns: number, ...urls: string[]) =>
      liveLines('x', progress, { ...figures, recent: urls.map((url) => ({ ...page, url })) }, [], { ...look, columns })
        .slice(6)
        .map((line) => line.slice(35));
    const [a, b] = ['http://www.example.org/docs/first/page', 'http://www.example.org/other'];
    expect(at(120, a, b)).toEqual([a, b]);
    expect(at(60, a, b)).toEqual(['/docs/first/page', '/other']);
    expect(at(52, a, b)).toEqual(['/docs/.../page', '/other']);
    expect(at(60, a, 'http://b.test/other')[0]).toMatch(/^http:.*\.\.\..*page$/);
  });

  it('show a rate by bars, the largest as the highest', () => {
    expect(sparkline([0, 1, 2, 4, 8])).toBe('▁▂▃▅█');
    expect(sparkline([0, 0])).toBe('▁▁');
  });

  it('cut wide characters where they end', () => {
    expect([width('世界'), shorten('世界世界世界', 8), shorten('abc', 3), shorten('abcdef', 5)]).toEqual([
      4,
      '世界...',
      'abc',
      'ab...',
    ]);
  });
});

describe('on a terminal', () => {
  it('a crawl is redrawn in place, and remarks stay above it', async () => {
    const err = new Shown();
    const { terminal, show, commit } = await shown(err);
    show();
    commit([
      { id: 1, kind: 'page', url: 3, target: 'http://a.test/\x1b[2Jgone', status: 404, code: 'http.gone', bytes: 99 },
    ]);
    show({ pages: 1300 });
    terminal.say('A seed redirects.');
    show({ pages: 1400 });
    const lines = err.screen.text.split('\n');
    expect(lines[0]).toBe('A seed redirects.');
    expect(lines[1]).toMatch(/^my-crawl +crawling · 1m23s$/);
    expect(lines.filter((line) => line.startsWith('pages'))).toEqual(['pages     1,400 · 12.3/s · 5 MB']);
    expect(lines.at(-1)).toMatch(/^ {2}404 http\.gone +99 B {2}http:\/\/a\.test\/\ufffd\[2Jgone$/);
    expect(err.screen.text).toContain('failures  http.gone 12 · dns.failed 2');
  });

  it('nothing of it is left when it ends, and the cursor was never hidden', async () => {
    const err = new Shown();
    const { terminal, show } = await shown(err);
    for (let i = 0; i < 20; i++) show();
    terminal.error('The end.');
    expect(err.screen.text).toBe('The end.');
    expect(err.text).not.toContain('?25');
  });

  it('it is drawn at most four times a second, and not while nothing is due', async () => {
    const err = new Shown();
    const { show } = await shown(err);
    for (let i = 0; i < 40; i++) show();
    expect(err.writes).toBeLessThanOrEqual(40);
    const before = err.writes;
    const quick = await shown(err);
    quick.clock.now = 1e6;
    quick.show();
    quick.clock.now -= 249;
    quick.show();
    expect(err.writes).toBe(before + 1);
  });

  it('a window made narrower or wider loses no line and keeps none', async () => {
    const err = new Shown(100);
    const { terminal, show } = await shown(err);
    show();
    // terminals that break lines anew show the old drawing on more rows
    const old = err.screen.text.split('\n');
    err.columns = 50;
    const narrow = new Screen(50);
    narrow.write(old.join('\n'));
    Object.assign(err, { screen: narrow });
    show();
    terminal.error('The end.');
    expect(narrow.text).toBe('The end.');
  });

  it.each([
    ['narrow', (err: Shown) => Object.assign(err, { columns: 39 })],
    ['low', (err: Shown) => Object.assign(err, { rows: 11 })],
  ])('that is too %s there is one line', async (_, shape) => {
    const err = new Shown();
    shape(err);
    const { show } = await shown(err);
    show();
    show({ pages: 1300 });
    expect(err.screen.text).toMatch(/^1m23s · 1,300 pages · [^\n]*$/);
  });

  it('that cannot redraw there is a line now and then; without one there is silence', async () => {
    const dumb = new Shown();
    const { show } = await shown(dumb, { TERM: 'dumb' });
    for (let i = 0; i < 90; i++) show({ pages: i });
    expect(dumb.text).toMatch(/^1m23s · 40 pages[^\n]*\n1m23s · 80 pages[^\n]*\n$/);
    const none = new Shown();
    none.isTTY = false;
    const quiet = await shown(none);
    for (let i = 0; i < 90; i++) quiet.show();
    expect(none.text).toBe('');
  });
});
