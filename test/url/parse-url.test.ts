import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseUrl } from '../../src/parse-url.js';
import { createNormalizer } from '../../src/url/normalize.js';

test('a host name of Latin letters outside ASCII is a base of links, also once the engine has optimised its calls', () => {
  const normalizer = createNormalizer();
  for (let i = 0; i < 20_000; i++) {
    if (normalizer.resolver('http://b\u00fccher.example/a/').resolve('x').url === null) expect.fail(`at call ${i}`);
  }
  expect(parseUrl('x', 'http://b\u00fccher.example/')?.href).toBe('http://xn--bcher-kva.example/x');
  expect(parseUrl('http://')).toBeNull();
});

test.each([
  ['http://h/b/.h/./c', '/b/.h/c'],
  ['http://h/a/.well-known/../x', '/a/x'],
  ['http://h/a/.b/..', '/a/'],
  ['http://h/a/.b/.', '/a/.b/'],
  ['http://h//.b/../../../c/.d', '/c/.d'],
  ['http://h/a/.b/%2e%2E/c?x=/../y', '/a/c'],
])('dot segments behind a segment that begins with a dot are resolved: %s', (text, path) => {
  expect(parseUrl(text)?.pathname).toBe(path);
});

test('nobody asks URL.canParse, which Node 20 answers wrongly', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  const callers = files.filter((name) => /URL\.canParse\(/.test(readFileSync(new URL(name, src), 'utf8')));
  expect(files.length).toBeGreaterThan(200);
  expect(callers).toEqual([]);
});
