/** Rules on content types and address families keep their place in the list. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { contentJudge, contentRules, familyJudge } from '../../src/url/late-rules.js';
import { normalizeUrl } from '../../src/url/normalize.js';

const rulesOf = (rules: unknown[]) => loadConfig({ rules }).rules;

describe('rules on content types', () => {
  const refuses = (rules: unknown[]) => contentJudge(contentRules(rulesOf(rules)), (url) => normalizeUrl(url))!;

  it('reject a type, or any type of a kind, and no other', () => {
    const judge = refuses([{ reject: { contentType: ['image/*', 'Application/PDF'] } }]);
    const types = ['image/png', 'image/svg+xml', 'application/pdf', 'imagex/png', 'application/pdfx', 'text/html', ''];
    expect(types.map((type) => judge(type, 'http://a.test/'))).toEqual([true, true, true, ...Array(4).fill(false)]);
  });

  it('spare what a rule before them accepts, not what one after them does', () => {
    const pictures = { reject: { contentType: 'image/*' } };
    const judge = refuses([
      { accept: { host: 'a.test' } },
      { reject: { host: 'b.test' } },
      pictures,
      { accept: { prefix: 'http://c.test/x' } },
      { reject: { contentType: 'text/css' } },
      { accept: { host: 'd.test' } },
    ]);
    const asked = (type: string) =>
      ['http://a.test/1', 'http://b.test/1', 'http://c.test/x/1', 'http://d.test/'].map((url) => judge(type, url));
    expect(asked('image/png')).toEqual([false, true, true, true]);
    expect(asked('text/css')).toEqual([false, true, false, true]);
    expect(asked('text/html')).toEqual([false, false, false, false]);
  });

  it('ask about the normal form, and are nothing where there are none', () => {
    const judge = refuses([{ accept: { glob: 'http://a.test/x?a=1&b=2' } }, { reject: { contentType: 'x/y' } }]);
    expect(judge('x/y', 'http://a.test/x/?b=2&a=1')).toBe(false);
    expect(judge('x/y', 'no url')).toBe(true);
    const others = rulesOf([{ accept: { host: 'a.test' } }, { reject: { addressFamily: 6 } }]);
    expect(contentRules(others)).toEqual([]);
    expect(contentJudge(contentRules(others), (url) => normalizeUrl(url))).toBeNull();
  });
});

describe('rules on address families', () => {
  it('reject the addresses of one, but of hosts that a rule before them accepts', () => {
    const refuses = familyJudge(
      rulesOf([
        { accept: { host: 'six.test' } },
        { accept: { domain: 'example.org' } },
        { accept: { prefix: 'http://part.test/x' } },
        { reject: { addressFamily: 6 } },
        { accept: { host: 'late.test' } },
      ]),
    );
    const six = (host: string) => refuses(host, '2001:db8::1');
    expect(['six.test', 'www.example.org', 'part.test', 'late.test', 'x.test'].map(six)).toEqual([
      ...[false, false],
      ...[true, true, true],
    ]);
    expect(refuses('x.test', '192.0.2.1')).toBe(false);
    expect(familyJudge(rulesOf([{ reject: { addressFamily: ['4'] } }]))('x.test', '192.0.2.1')).toBe(true);
    expect(familyJudge([])('x.test', '::1')).toBe(false);
  });
});
