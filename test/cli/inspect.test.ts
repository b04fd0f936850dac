import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeProcess } from './process.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-inspect-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The answers to cases given as JSON lines. */
async function ask(kind: string, ...cases: unknown[]): Promise<Record<string, unknown>[]> {
  const stdin = cases.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const { code, out } = await new FakeProcess({ stdin }).run('inspect', kind);
  expect(code).toBe(0);
  return out === ''
    ? []
    : out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}

describe('JSON lines', () => {
  it('are answered in order, with the fields that nobody reads', async () => {
    const answers = await ask(
      'url',
      { id: 'a', input: 'HTTP://Example.org:80/a/?utm_source=x&b=1#f', note: { deep: [1] } },
      { id: 'b', input: '../c', base: 'https://example.org/a/b' },
      { id: 'c', input: 'mailto:me@example.org' },
    );
    expect(answers).toEqual([
      {
        id: 'a',
        note: { deep: [1] },
        url: 'http://example.org/a?b=1',
        fetch: 'http://example.org/a/?b=1',
        href: 'http://example.org/a/?utm_source=x&b=1#f',
        key: expect.stringMatching(/^[0-9a-f]{16}$/),
        host: 'example.org',
      },
      expect.objectContaining({ id: 'b', url: 'https://example.org/c' }),
      { id: 'c', url: null, reason: 'scheme', href: 'mailto:me@example.org' },
    ]);
  });

  it('that are bad are answered with an error, and the next one as if nothing had happened', async () => {
    const answers = await ask('url', 'nonsense', '[1]', 'null', { id: 7 }, { id: 8, input: 5 }, '', {
      input: 'http://a.test/',
    });
    expect(answers.slice(0, 5)).toEqual([
      { error: expect.stringContaining('JSON') },
      { error: 'not a JSON object' },
      { error: 'not a JSON object' },
      { id: 7, error: 'input is missing' },
      { id: 8, error: 'input must be a string' },
    ]);
    expect(answers[5]).toMatchObject({ url: 'http://a.test/' });
    expect(await ask('url')).toEqual([]);
  });

  it('take bytes from files, plain or gzipped, from text and from base64', async () => {
    const robots = 'User-agent: *\nDisallow: /p\nCrawl-delay: 1.5\nSitemap: http://a.test/s.xml\n';
    writeFileSync(join(folder, 'plain'), robots);
    writeFileSync(join(folder, 'zipped'), gzipSync(robots));
    const answers = await ask(
      'robots',
      { robots, url: '/p/x' },
      { robots_b64: Buffer.from(robots).toString('base64'), url: 'http://a.test/p/x' },
      { file: join(folder, 'plain'), url: '/p/x' },
      { file: join(folder, 'zipped'), url: '/p/x' },
      { file: join(folder, 'none'), url: '/p/x' },
      { url: '/p/x' },
    );
    const denied = { allowed: false, rule: 'Disallow: /p', crawlDelay: 1500, sitemaps: ['http://a.test/s.xml'] };
    expect(answers.slice(0, 4)).toEqual([denied, denied, denied, denied]);
    expect(answers[4].error).toContain('ENOENT');
    expect(answers[5]).toEqual({ error: 'file, robots or robots_b64 is missing' });
  });

  it('show how a page is read', async () => {
    const html = `<html lang=de><title>T</title><base href="/d/"><link rel=canonical href=/c>
      <p>Text <a href="x#f" rel="nofollow me">one</a> <a href="mailto:m@a.test">two</a> <a href="http://b.test/">three</a>`;
    const [page, tagged] = await ask(
      'page',
      { html, url: 'http://a.test/', contentType: 'text/html; charset=utf-8' },
      { html, url: 'http://a.test/', headers: { 'X-Robots-Tag': ['noindex', 'other: nofollow'] } },
    );
    expect(page).toMatchObject({
      charset: 'utf-8',
      title: 'T',
      canonical: 'http://a.test/c',
      base: 'http://a.test/d/',
      language: 'de',
      refresh: null,
      robots: { index: true, follow: true },
      links: [
        { url: 'http://a.test/d/x', text: 'one', rel: ['nofollow'] },
        { url: 'http://b.test/', text: 'three', rel: [] },
      ],
      simhash: null,
    });
    expect(page.text).toContain('Text one two three');
    expect(tagged.robots).toEqual({ index: false, follow: true });
  });

  it('show how sitemaps, charsets and content types are read', async () => {
    const content = '<urlset><url><loc>http://a.test/x</loc><priority>0.5</priority></url></urlset>';
    expect(await ask('sitemap', { content, url: 'http://a.test/s.xml' })).toEqual([
      { kind: 'urlset', urls: [{ url: 'http://a.test/x', priority: 0.5 }], sitemaps: [] },
    ]);
    expect(
      await ask('charset', { html: '<meta charset=shift-jis>' }, { html: 'x', contentType: 'text/html;charset=utf8' }),
    ).toEqual([
      { charset: 'shift_jis', source: 'meta' },
      { charset: 'utf-8', source: 'header' },
    ]);
    expect(await ask('type', { contentType: 'TEXT/HTML; Charset="gbk"' }, { contentType: 'x' })).toEqual([
      { type: 'text/html;charset=gbk', charset: 'gbk' },
      { type: null, charset: null },
    ]);
  });

  it('ten thousand of them take seconds', async () => {
    const cases = Array.from({ length: 10_000 }, (_, id) => ({
      id,
      input: `http://host${id % 97}.test/a/${id}?b=${id}`,
    }));
    const answers = await ask('url', ...cases);
    expect(answers).toHaveLength(10_000);
    expect(answers.every(({ id, url }, i) => id === i && typeof url === 'string')).toBe(true);
  }, 10_000);
});

describe('one case by arguments', () => {
  it('is answered in a form for reading', async () => {
    const { code, out } = await new FakeProcess().run('inspect', 'url', 'x', '--base', 'http://a.test/d/');
    expect([code, JSON.parse(out).url]).toEqual([0, 'http://a.test/d/x']);
    expect(out.split('\n').length).toBeGreaterThan(5);
  });

  it.each([
    [[], 2, 'What should be inspected? Give one of url, robots,'],
    [['rbots'], 2, 'There is no "rbots" to inspect; the nearest is robots.'],
    [['zzzzz'], 2, 'There is no "zzzzz" to inspect; give one of url,'],
    [['url', 'x', '--agent', 'y'], 2, '--agent says nothing about a url.'],
    [['type', 'x', '--content-type', 'y', 'z'], 2, 'has no use for "z"'],
    [['robots', '/nowhere/robots.txt'], 1, 'robots /nowhere/robots.txt cannot be inspected: ENOENT'],
    [['page', '/nowhere/page.html'], 1, 'cannot be inspected:'],
  ])('that is wrong (%j) ends with %d and one sentence', async (argv, exitCode, sentence) => {
    const { code, out, err } = await new FakeProcess().run('inspect', ...argv);
    expect([code, out]).toEqual([exitCode, '']);
    expect(err).toContain(sentence);
  });
});

it('waits for a slow reader, and stops for one that has gone', async () => {
  const process = new FakeProcess({
    stdin: '{"input":"http://a.test/"}\n{"input":"http://b.test/"}\n{"input":"http://c.test/"}\n',
  });
  const lines: string[] = [];
  process.stdout.write = (text) => {
    lines.push(text);
    // The first line fills the pipe, the second finds nobody behind it.
    if (lines.length === 1) setTimeout(() => process.stdout.emit('drain'), 20);
    else process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    return lines.length !== 1;
  };
  const { code, err } = await process.run('inspect', 'url');
  expect([code, err, lines.length]).toEqual([0, '', 2]);
});
