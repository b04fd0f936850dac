import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameSet } from '../../src/url/name-set.js';
import { normalizeUrl } from '../../src/url/normalize.js';
import { compileScope } from '../../src/url/scope.js';

const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i * 7);

test('a set of many names answers as a Set of them does, and so does what another thread makes of its data', () => {
  const name = fc.integer({ min: 0, max: 40_000 }).map((n) => `host${n}.example`);
  const adds = fc.array(name, { minLength: 3_000, maxLength: 12_000, size: 'max' });
  fc.assert(
    fc.property(adds, fc.array(name, { maxLength: 200 }), (added, asked) => {
      const model = new Set<string>();
      const names = new NameSet([], SECRET);
      for (const one of added) {
        expect(names.add(one)).toBe(!model.has(one));
        model.add(one);
      }
      const copy = new NameSet(structuredClone(names.data()), new Uint8Array(16));
      for (const one of asked) expect([names.has(one), copy.has(one)]).toEqual([model.has(one), model.has(one)]);
      expect([names.size, copy.size]).toEqual([model.size, model.size]);
      expect([copy.add('one.more'), copy.has('one.more'), names.has('one.more')]).toEqual([true, true, false]);
    }),
    { numRuns: 8 },
  );
});

test.each(['host', 'domain', 'prefix'] as const)('ten thousand seeds draw a scope (%s) as two do', (kind) => {
  const url = (text: string) => {
    const normal = normalizeUrl(text);
    if (normal.url === null) throw new Error(text);
    return normal;
  };
  const lists = { host: { hosts: [] }, domain: { domains: [] }, prefix: { prefixes: [] } }[kind];
  const first = compileScope([{ kind, ...lists, verdict: 'accept' } as never], 'reject', SECRET);
  for (let i = 0; i < 10_000; i++) {
    expect(first.extend(url(`https://www.site${i}.example/docs/a.html`))).not.toBeNull();
    expect(first.extend(url(`https://www.site${i}.example/docs/`))).toBeNull();
  }
  const scope = compileScope(structuredClone(first.rules), 'reject', SECRET);
  for (const host of ['www.site0.example', 'www.site9999.example']) {
    expect(scope.verdict(url(`http://${host}/docs/b/c?d`)).accept).toBe(true);
    expect(scope.verdict(url(`http://${host}/docs`)).accept).toBe(true);
    expect(scope.verdict(url(`http://${host}/docs-old`)).accept).toBe(kind !== 'prefix');
  }
  expect(scope.verdict(url('http://shop.site77.example/docs/')).accept).toBe(kind === 'domain');
  expect(scope.verdict(url('http://www.site10000.example/docs/')).accept).toBe(false);
});
