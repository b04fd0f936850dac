import { describe, expect, it } from 'vitest';
import { type NormalUrl, normalizeUrl } from '../../src/url/normalize.js';
import { compileScope, type Scope, ScopeError, type ScopeRule, scopeFor } from '../../src/url/scope.js';

function url(text: string): NormalUrl {
  const normal = normalizeUrl(text);
  if (normal.url === null) throw new Error(`${text} is no URL`);
  return normal;
}
const accepts = (scope: Scope, text: string) => scope.verdict(url(text)).accept;
const decided = (scope: Scope, text: string) => {
  const { accept, rule } = scope.verdict(url(text));
  return `${accept ? 'accept' : 'reject'} by ${rule}`;
};
function cli(options: Partial<Parameters<typeof scopeFor>[0]> & { at: string[] }): Scope {
  const { rules, fallback } = scopeFor({ scope: 'domain', ...options, seeds: options.at.map(url) });
  return compileScope(rules, fallback);
}

describe('a list of rules', () => {
  it('is decided by the first that does not pass, and names it', () => {
    const scope = compileScope(
      [
        { kind: 'host', hosts: ['bad.a.com'], verdict: 'reject', name: 'bad hosts' },
        { kind: 'glob', globs: ['*.pdf'], verdict: 'pass', otherwise: 'pass' },
        { kind: 'domain', domains: ['a.com'], verdict: 'accept' },
        { kind: 'regexp', patterns: ['/print$'], verdict: 'reject' },
      ],
      'accept',
    );
    expect(decided(scope, 'http://bad.a.com/')).toBe('reject by bad hosts');
    expect(decided(scope, 'http://www.a.com/print/')).toBe('accept by domain');
    expect(decided(scope, 'http://b.com/print/')).toBe('reject by regexp');
    expect(decided(scope, 'http://b.com/')).toBe('accept by fallback');
  });

  it('is plain data that compiles to the same scope again', () => {
    const first = cli({
      at: ['http://a.com/docs/'],
      scope: 'prefix',
      include: ['*x*'],
      exclude: ['*y*'],
      blocked: ['b.com'],
    });
    first.extend(url('http://c.com/'));
    const second = compileScope(JSON.parse(JSON.stringify(first.rules)) as ScopeRule[], 'reject');
    expect(second.rules).toEqual(first.rules);
    for (const text of [
      'http://a.com/docs/x',
      'http://a.com/docs/xy',
      'http://c.com/x',
      'http://b.com/x',
      'http://a.com/x',
    ]) {
      expect(decided(second, text)).toBe(decided(first, text));
    }
  });

  it('blocks a name and everything below it, and nothing beside it', () => {
    const scope = compileScope([{ kind: 'below', names: ['Ads.Example.', '*.b.com'], verdict: 'reject' }], 'accept');
    expect(accepts(scope, 'http://ads.example/')).toBe(false);
    expect(accepts(scope, 'http://x.y.ads.example/')).toBe(false);
    expect(accepts(scope, 'http://b.com/')).toBe(false);
    expect(accepts(scope, 'http://loads.example/')).toBe(true);
    expect(accepts(scope, 'http://example/')).toBe(true);
  });

  it.each([
    ['a host that is none', { kind: 'host', hosts: ['a/b'], verdict: 'accept' }],
    ['a prefix that is no URL', { kind: 'prefix', prefixes: ['docs'], verdict: 'accept' }],
    ['a pattern that is wrong', { kind: 'regexp', patterns: ['('], verdict: 'accept' }],
    ['a glob that is too long', { kind: 'glob', globs: ['x'.repeat(1_001)], verdict: 'accept' }],
    ['a kind that there is not', { kind: 'colour', verdict: 'accept' } as unknown as ScopeRule],
  ] as [string, ScopeRule][])('refuses %s', (_, rule) => {
    expect(() => compileScope([rule], 'accept')).toThrow(ScopeError);
  });
});

describe('the scope of a CLI crawl', () => {
  it('is by default the registrable domains of the seeds', () => {
    const scope = cli({ at: ['https://www.a.co.uk/', 'http://alice.github.io/', 'http://127.0.0.1:8080/'] });
    expect(accepts(scope, 'http://shop.a.co.uk:8080/x')).toBe(true);
    expect(accepts(scope, 'http://b.co.uk/')).toBe(false);
    expect(accepts(scope, 'http://bob.github.io/')).toBe(false);
    expect(accepts(scope, 'http://127.0.0.1/')).toBe(true);
    expect(decided(scope, 'http://127.0.0.2/')).toBe('reject by fallback');
  });

  it('can be a host, or everything', () => {
    expect(accepts(cli({ at: ['http://www.a.com/'], scope: 'host' }), 'http://a.com/')).toBe(false);
    expect(accepts(cli({ at: ['http://www.a.com/'], scope: 'host' }), 'https://www.a.com:444/')).toBe(true);
    expect(accepts(cli({ at: ['http://www.a.com/'], scope: 'any' }), 'http://b.com/')).toBe(true);
  });

  it('can be a folder, with or without its slash, by http and https', () => {
    for (const seed of [
      'http://a.com/docs',
      'http://a.com/docs/',
      'http://a.com/docs/index.html',
      'http://a.com/docs?x=1',
    ]) {
      const scope = cli({ at: [seed], scope: 'prefix' });
      for (const inside of ['/docs', '/docs/', '/docs/a/b', '/docs?y'])
        expect(accepts(scope, `https://a.com${inside}`)).toBe(true);
      for (const outside of ['/', '/docs-old', '/doc', '/x/docs/'])
        expect(accepts(scope, `http://a.com${outside}`)).toBe(false);
      expect(accepts(scope, 'http://a.com:81/docs/')).toBe(false);
    }
    expect(accepts(cli({ at: ['http://a.com'], scope: 'prefix' }), 'http://a.com/x')).toBe(true);
  });

  it('lets sitemaps lie anywhere on the hosts of its folders, and match no --include', () => {
    const sitemap = (scope: Scope, text: string) => scope.verdictOfSitemap(url(text)).accept;
    const prefix = cli({ at: ['http://a.com/docs/'], scope: 'prefix', exclude: ['*secret*'] });
    const again = compileScope(JSON.parse(JSON.stringify(prefix.rules)) as ScopeRule[], 'reject');
    for (const scope of [prefix, again]) {
      expect([sitemap(scope, 'https://a.com/sitemap.xml'), accepts(scope, 'https://a.com/sitemap.xml')]).toEqual([
        true,
        false,
      ]);
      expect([sitemap(scope, 'http://b.com/sitemap.xml'), sitemap(scope, 'http://a.com/secret.xml')]).toEqual([
        false,
        false,
      ]);
      scope.extend(url('http://b.com/x/'));
      expect(sitemap(scope, 'http://b.com/sitemap.xml')).toBe(true);
    }
    const included = cli({ at: ['http://a.com/'], include: ['*/docs/*'] });
    expect([sitemap(included, 'http://a.com/sitemap.xml'), accepts(included, 'http://a.com/sitemap.xml')]).toEqual([
      true,
      false,
    ]);
    expect(sitemap(included, 'http://b.com/docs/sitemap.xml')).toBe(false);
    const rejecting = compileScope([{ kind: 'prefix', prefixes: ['http://a.com/old/'], verdict: 'reject' }], 'accept');
    expect([sitemap(rejecting, 'http://a.com/old/s.xml'), sitemap(rejecting, 'http://a.com/s.xml')]).toEqual([
      false,
      true,
    ]);
  });

  it('refuses what matches no --include, and what matches an --exclude whatever else', () => {
    const scope = cli({
      at: ['http://a.com/'],
      include: ['*/blog/*', 'http://A.com/'],
      exclude: ['*.jpg', '*/blog/private/*'],
    });
    expect(accepts(scope, 'http://a.com/blog/1')).toBe(true);
    expect(accepts(scope, 'http://a.com/')).toBe(true);
    expect(decided(scope, 'http://a.com/about')).toBe('reject by include');
    expect(decided(scope, 'http://a.com/blog/1.jpg')).toBe('reject by exclude');
    expect(decided(scope, 'http://a.com/blog/private/1')).toBe('reject by exclude');
    expect(decided(scope, 'http://b.com/blog/1')).toBe('reject by fallback');
  });

  it('takes in where a seed redirects to, once', () => {
    const scope = cli({ at: ['http://a.com/'] });
    expect(scope.extend(url('https://www.b.com/'))).toBe('b.com');
    expect(scope.extend(url('https://shop.b.com/'))).toBeNull();
    expect(accepts(scope, 'http://x.b.com/')).toBe(true);
    expect(scope.rules).toEqual([{ kind: 'domain', domains: ['a.com', 'b.com'], verdict: 'accept' }]);
    expect(cli({ at: ['http://a.com/'], scope: 'any' }).extend(url('http://b.com/'))).toBeNull();
  });
});
