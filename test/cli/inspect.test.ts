import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/cli/inspect-kinds.js';
import { optionOf } from '../../src/config/config.js';
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
      { id: null, error: expect.stringContaining('JSON') },
      { id: null, error: 'not a JSON object' },
      { id: null, error: 'not a JSON object' },
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
    expect(answers[4].error).toContain('there is no such file');
    expect(answers[5]).toEqual({ id: null, error: 'file, robots or robots_b64 is missing' });
  });

  it('say what a status means in place of a robots.txt, and resolve its sitemaps where they know against what', async () => {
    const answers = await ask(
      'robots',
      { status: 503, url: '/x' },
      { status: 404, url: '/x' },
      { status: 42, url: '/x' },
      { robots: 'Sitemap: /s.xml', url: 'http://a.test/x' },
    );
    expect(answers.map(({ allowed }) => allowed)).toEqual([false, true, undefined, true]);
    expect(answers[2].error).toContain('status must be');
    expect(answers[3].sitemaps).toEqual(['http://a.test/s.xml']);
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
    const placeless = '<urlset><url><loc>/x</loc></url><url><loc>http://a.test/y</loc></url></urlset>';
    expect(await ask('sitemap', { content: placeless })).toEqual([
      { kind: 'urlset', urls: [{ url: 'http://a.test/y' }], sitemaps: [] },
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

/** What is said about one case in words, by label. */
async function words(...argv: string[]): Promise<Record<string, string[]>> {
  const { code, out, err } = await new FakeProcess().run('inspect', ...argv);
  expect([code, err]).toEqual([0, '']);
  const rows: Record<string, string[]> = {};
  for (const line of out.trimEnd().split('\n')) {
    const [, label, text] = /^(.*?) {2,}(.*)$/.exec(line)!;
    rows[label] = [...(rows[label] ?? []), text];
  }
  return rows;
}

describe('one case by arguments', () => {
  it('is explained in words, or answered as JSON', async () => {
    const argv = ['url', 'x', '--base', 'http://a.test/d/'];
    expect(await words(...argv)).toMatchObject({ 'normal form': ['http://a.test/d/x'], host: [/a\.test/] });
    const { out } = await new FakeProcess().run('inspect', ...argv, '--json');
    expect([JSON.parse(out).url, out.split('\n').length]).toEqual(['http://a.test/d/x', 2]);
  });

  it('says which steps made the normal form of a URL', async () => {
    const { changed, guards } = await words(
      'url',
      'HTTP://u:p@A.test.:80/b/;jsessionid=0123456789ABCDEF/%7e/?b=%2f&a=1&&utm_id=1#f',
    );
    expect(changed).toEqual([
      'scheme in lower case',
      'host in lower case',
      'default port dropped',
      'credentials dropped',
      'root dot of the host dropped',
      'session parameter ;jsessionid removed from the path',
      'parameter utm_* removed',
      'trailing slash trimmed',
      'fragment dropped',
      'empty pieces of the query dropped',
      'query sorted',
      'percent-encoding normalised',
    ]);
    expect(guards).toHaveLength(1);
    const odd = await words('url', ' http:\\\\\u00fc.test/a/./..\\b');
    expect(odd.changed.slice(0, 4)).toEqual([
      'spaces, tabs and line ends around or in it dropped',
      'slashes put right',
      'host in its ASCII form (IDNA)',
      'dot segments resolved',
    ]);
    const plain = await words('url', 'http://a.test/b?a=1&b=%2F');
    expect([plain.changed, plain.requested]).toEqual([undefined, ['the same']]);
  });

  it('says which guard refuses a URL', async () => {
    expect((await words('url', 'http://127.0.0.1:22/a/a/a/a')).guard).toEqual([
      expect.stringContaining('repeat'),
      expect.stringContaining('port 22'),
      expect.stringContaining('127.0.0.1 is a loopback address'),
    ]);
    expect((await words('url', `http://a.test/${'x'.repeat(1000)}`)).guard[0]).toContain('1,000 bytes');
    expect((await words('url', 'ftp://a.test/')).refused[0]).toContain('scheme');
  });

  it('says which line of a robots.txt decides, and for whom', async () => {
    const file = join(folder, 'robots.txt');
    writeFileSync(file, 'User-agent: *\r\nDisallow: /p # not here\r\n\r\nUser-agent: bot\r\nCrawl-delay: 2\r\n');
    expect(await words('robots', file, '--url', '/p/x')).toMatchObject({
      denied: ['/p/x for Saunter'],
      'decided by': ['line 2: Disallow: /p'],
      rules: [expect.stringContaining('no group names Saunter')],
      'Crawl-delay': ['none'],
    });
    expect(await words('robots', file, '--url', '/p/x', '--agent', 'Bot/1.0')).toMatchObject({
      allowed: ['/p/x for Bot/1.0'],
      rules: [expect.stringContaining('that name Bot/1.0')],
      'Crawl-delay': ['2s'],
    });
    expect((await words('robots', '--status', '429', '--url', '/x'))['decided by'][0]).toContain('nothing is fetched');
  });

  it('shows a page without letting it steer the terminal', async () => {
    const file = join(folder, 'page.html');
    writeFileSync(file, '<title>\x1b[31mred</title><meta name=robots content=nofollow><a href=/x rel=ugc>x</a>');
    const { code, out } = await new FakeProcess().run('inspect', 'page', file, '--url', 'http://a.test/');
    expect([code, out.includes('\x1b')]).toEqual([0, false]);
    expect(out).toContain('links are not followed');
    expect(out).toContain('http://a.test/x  ugc');
  });

  it.each([
    [['url', 'x', '--resolve', '*=127.0.0.1'], 2, '--resolve says nothing about a url.'],
    [[], 2, 'What should be inspected? Give one of url, robots,'],
    [['rbots'], 2, 'There is no "rbots" to inspect; the nearest is robots.'],
    [['zzzzz'], 2, 'There is no "zzzzz" to inspect; give one of url,'],
    [['url', 'x', '--agent', 'y'], 2, '--agent says nothing about a url.'],
    [['type', 'x', '--content-type', 'y', 'z'], 2, 'has no use for "z"'],
    [['robots', '/nowhere/robots.txt'], 1, 'robots /nowhere/robots.txt cannot be inspected: there is no such file'],
    [['page', '/nowhere/page.html', '--url', 'http://a.test/'], 1, 'cannot be inspected:'],
    [['page', 'package.json'], 2, 'page package.json cannot be inspected: url is missing (--url URL).'],
    [['robots', '--status', 'abc'], 2, 'status must be an HTTP status, such as 503 (--status CODE).'],
    [['fetch', 'ftp://a.test/'], 2, 'ftp://a.test/ is no http(s) URL'],
    [
      ['type', 'package.json'],
      2,
      'type package.json cannot be inspected: it is a file, and here the value of a Content-Type',
    ],
    [['rbots', '--help'], 2, 'There is no "rbots" to inspect; the nearest is robots.'],
    [['page', '--file='], 2, '--file cannot be empty: --file FILE.'],
  ])('that is wrong (%j) ends with %d and one sentence', async (argv, exitCode, sentence) => {
    const { code, out, err } = await new FakeProcess().run('inspect', ...argv);
    expect([code, out]).toEqual([exitCode, '']);
    expect(err).toContain(sentence);
  });
});

describe('the help of inspect', () => {
  const help = async (...argv: string[]) => {
    const { code, out } = await new FakeProcess().run(...argv);
    expect(code).toBe(0);
    return out;
  };

  it.each([...KINDS])('%s names its own flags and no other', async (kind, { flags, options, examples, line }) => {
    const out = await help('inspect', kind, '--help');
    expect(out).toContain(`Usage: saunter inspect ${kind} [`);
    const named = [...out.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name);
    const own = [...flags.map(({ name }) => name), 'json', ...options.map((name) => optionOf(name).flag), 'help'];
    expect(named).toEqual(own);
    for (const [command] of examples) expect(out).toContain(command);
    expect(Object.keys(JSON.parse(line)).length).toBeGreaterThan(1);
    expect(await help('help', 'inspect', kind)).toBe(out);
  });

  it('without a kind names all, and where each is explained', async () => {
    const out = await help('inspect', '--help');
    for (const [kind, { says }] of KINDS) {
      expect(out).toContain(`saunter inspect ${kind} --help`);
      expect(out.replace(/\s+/g, ' ')).toContain(says);
    }
    expect(out).not.toContain('--content-encoding');
  });
});

it('waits for a slow reader, and stops for one that has gone', async () => {
  const process = new FakeProcess({
    stdin: '{"input":"http://a.test/"}\n{"input":"http://b.test/"}\n{"input":"http://c.test/"}\n',
  });
  const lines: string[] = [];
  process.stdout.write = (text) => {
    lines.push(String(text));
    // The first line fills the pipe, the second finds nobody behind it.
    if (lines.length === 1) setTimeout(() => process.stdout.emit('drain'), 20);
    else process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    return lines.length !== 1;
  };
  const { code, err } = await process.run('inspect', 'url');
  expect([code, err, lines.length]).toEqual([0, '', 2]);
});
