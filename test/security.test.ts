import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../src/config/load-config.js';
import { HeaderList } from '../src/fetch/http-headers.js';
import { parseRobots } from '../src/fetch/robots.js';
import { parsePage } from '../src/parse/page.js';
import { normalizeUrl } from '../src/url/normalize.js';

const root = new URL('../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!---|promise|fault|attacker|setting)/.test(line));

describe('docs/security.md', () => {
  test('names a test for every promise and every fault, and each is there', () => {
    const upTo = page.indexOf('## Not promised');
    const promises = rows.filter((row) => page.indexOf(row) > page.indexOf('## Promises') && page.indexOf(row) < upTo);
    expect(promises.length).toBeGreaterThan(25);
    for (const row of promises) {
      const files = [...row.matchAll(/`(test\/[\w./-]+)`/g)].map((match) => match[1]);
      expect(files, row).not.toEqual([]);
      expect(
        files.filter((file) => !existsSync(new URL(file, root))),
        row,
      ).toEqual([]);
    }
  });

  test('names settings that exist', () => {
    const names = [...page.matchAll(/`(tls\.invalid|adminAddress)/g)].map((match) => match[1]);
    expect(new Set(names)).toEqual(new Set(['tls.invalid', 'adminAddress']));
  });
});

describe('names from outside', () => {
  const EVIL = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

  test('reach no prototype, whoever reads them', () => {
    const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    for (const name of EVIL) {
      const headers = new HeaderList([[name, 'x']]);
      expect([headers.get(name.toLowerCase()), headers.get('polluted')]).toEqual(['x', null]);
      const html = `<script type="application/ld+json">${json}</script><meta property="og:${name}" content=x><a ${name}=1 href="/${name}?${name}[polluted]=1">`;
      parsePage({ body: Buffer.from(html), url: `http://a.test/${name}` }, { metadata: true });
      parseRobots(`User-agent: ${name}\nDisallow: /\n${name}: x`, name).allows(`/${name}`);
      normalizeUrl(`http://${name.replaceAll('_', '')}.test/${name}?${name}[polluted]=1&__proto__=2`);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('are refused in a config file like any other that does not exist', () => {
    for (const name of EVIL) {
      const file = JSON.parse(`{"${name}":{"polluted":1}}`) as Record<string, unknown>;
      expect(() => loadConfig(file), name).toThrow();
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
