import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { normalizeUrl } from '../../src/url/normalize.js';
import { cases } from '../url/cases.js';
import { explain, SENTENCES } from './explain-normal.mjs';
import { SUITES } from './suites.mjs';

const folder = mkdtempSync(join(tmpdir(), 'saunter-cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

const normal = (url: string) => normalizeUrl(url).url;

describe('differences from other normalisers', () => {
  it('are each caused by a sentence of the rules', () => {
    const rows = cases<[string, string, unknown, unknown, string[]]>('normalizers-other');
    expect(rows.length).toBeGreaterThan(400);
    for (const [rule, input, expected, options, sentences] of rows) {
      const ours = normalizeUrl(input);
      expect(ours.url).not.toBe(expected);
      const found: string[] = explain({ rule, input, expected, options }, ours, normal);
      expect([rule, input, found]).toEqual([rule, input, sentences]);
      expect(found.length).toBeGreaterThan(0);
      expect(found.every((name) => Object.hasOwn(SENTENCES, name))).toBe(true);
    }
  });

  it('are not explained where the rules would have it otherwise', () => {
    const fault = (input: string, expected: string, ours: string | null) =>
      explain({ rule: 'x', input, expected }, { url: ours, reason: 'none' }, normal);
    expect(fault('http://a.test/b', 'http://a.test/b', 'http://a.test/c')).toEqual([]);
    expect(fault('http://a.test/b?x=1', 'http://a.test/b?x=1', 'http://b.test/b?x=1')).toEqual([]);
  });
});

/** Runs the program on a folder of cases. */
function run(suite: string, ...lines: unknown[]): { status: number | null; out: string } {
  writeFileSync(join(folder, `${suite}.jsonl`), lines.map((line) => JSON.stringify(line)).join('\n'));
  const program = fileURLToPath(new URL('run.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, suite, folder], { encoding: 'utf8' });
  return { status, out: stdout + stderr };
}

describe('npm run cases', () => {
  it('counts what is right, shows what is not, and fails if that was required', () => {
    const base = { robots: 'User-agent: *\nDisallow: /p', agent: 'x', url: '/p' };
    const right = { id: 'a', tier: 'core', allowed: false, ...base };
    const { status, out } = run('robots_unit', right, { id: 'b', tier: 'divergent', allowed: true, ...base });
    expect([status, out]).toEqual([0, expect.stringMatching(/core +1 \/ 1\n.*divergent +0 \/ 1\n/s)]);
    const wrong = run('robots_unit', right, { ...right, id: 'c', allowed: true });
    expect([wrong.status, wrong.out]).toEqual([1, expect.stringContaining('nothing explains: c')]);
  });

  it('answers about encodings what each case asks for: a mark, a header, a declaration, or the text', () => {
    const html = '<meta charset=koi8-r>x';
    const { status, out } = run(
      'charset_declared',
      { id: 'a', source: 'w3lib', rule: 'bom', html, expected: null },
      { id: 'b', source: 'w3lib', rule: 'bom', html_b64: '//40bA==', expected: 'utf-16-le' },
      { id: 'c', source: 'w3lib', rule: 'charset from Content-Type header', content_type: 'text/html', expected: null },
      { id: 'd', source: 'w3lib', rule: 'charset declared in body', html, expected: 'koi8-r' },
      { id: 'e', source: 'w3lib', rule: 'decode', encoding: 'gb18030_2000', html_b64: 'gA==', expected_text: '€' },
      { id: 'f', source: 'w3lib', rule: 'decode', encoding: 'gbk', html_b64: 'gA==', expected_text: 'x' },
    );
    expect([status, out]).toEqual([1, expect.stringContaining('1 misses that nothing explains: f\n')]);
  });

  it('asks the parser itself what inspect has no words for', () => {
    const tokens = [
      ['StartTag', 'a', { b: '&' }],
      ['Character', '<\n'],
      ['EndTag', 'a'],
    ];
    const right = { id: 'a', kind: 'tokens', html: '<A b=&amp; B=c>&lt;\r\n</a>', tokens };
    expect(run('html_tokens', right).status).toBe(0);
    expect(run('html_tokens', { ...right, html: '<a b=c>&lt;' }).status).toBe(1);
    const elements_with_attributes = [
      { tag: 'svg svg', attrs: { id: 'x' } },
      { tag: 'svg a', attrs: { href: '/' } },
    ];
    expect(run('html_tree', { id: 'a', html: '<svg id=x><a href=/>', elements_with_attributes }).status).toBe(0);
    expect(run('html_entities_w3lib', { id: 'a', input: 'a&amp;&copyb&#x41', expected: 'a&\u00a9bA' }).status).toBe(0);
  });

  it('says what can be run', () => {
    const program = fileURLToPath(new URL('run.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [program, 'nonsense'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(Object.keys(SUITES).filter((name) => !stderr.includes(name))).toEqual([]);
  });
});
