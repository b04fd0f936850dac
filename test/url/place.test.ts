import { describe, expect, it } from 'vitest';
import { domainOf } from '../../src/url/domain.js';
import { partitionOf } from '../../src/url/partition.js';

describe('registrable domains', () => {
  it.each([
    ['www.example.co.uk', 'example.co.uk'],
    ['example.com', 'example.com'],
    ['alice.github.io', 'alice.github.io'],
    ['a_b.example.com', 'example.com'],
    ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
    ['foo.bar.internal', 'bar.internal'],
  ])('of %s is %s', (host, domain) => expect(domainOf(host)).toBe(domain));

  it.each(['1.2.3.4', '[::1]', 'localhost', 'co.uk', 'github.io'])('of %s is itself', (host) =>
    expect(domainOf(host)).toBe(host),
  );

  it('stay right when more hosts are met than are remembered', () => {
    for (let i = 0; i < 20_000; i++) domainOf(`h${i}.site${i % 7}.com`);
    expect(domainOf('h1.site1.com')).toBe('site1.com');
    expect(domainOf('h19999.site0.com')).toBe('site0.com');
  });
});

describe('partitions', () => {
  it('never change: these are stored in clusters', () => {
    expect(['example.com', 'www.example.com', '127.0.0.1', '[::1]', ''].map((host) => partitionOf(host, 256))).toEqual(
      PINNED,
    );
  });

  it('share hosts out evenly', () => {
    const counts = new Uint32Array(256);
    for (let i = 0; i < 256_000; i++) counts[partitionOf(`host-${i}.example.com`, 256)]++;
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});
const PINNED = [179, 178, 191, 166, 11];
