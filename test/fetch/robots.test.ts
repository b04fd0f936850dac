import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots, ROBOTS_MAX_BYTES } from '../../src/fetch/robots.js';
import { pathOfUrl } from '../../src/fetch/robots-path.js';
import { plainRules, plainVerdict } from '../fuzz/robots-reading.js';

const allows = (robots: string | Uint8Array, url: string, agent = 'Saunter') => parseRobots(robots, agent).allows(url);
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const star = (...lines: string[]) => ['User-agent: *', ...lines, ''].join('\n');

describe('groups', () => {
  it('merges all groups of one token, whatever stands between them', () => {
    const robots =
      'User-agent: saunter\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: SAUNTER\nDisallow: /b\n';
    expect(['/a', '/b', '/c'].map((path) => allows(robots, path))).toEqual([false, false, true]);
  });

  it('gives a crawler its own group only, also an empty one', () => {
    const robots = 'User-agent: *\nDisallow: /\n\nUser-agent: Saunter\n';
    expect(allows(robots, '/x')).toBe(true);
    expect(allows(robots, '/x', 'other')).toBe(false);
  });

  it('takes the product token out of a whole User-Agent', () => {
    const robots = 'User-agent: saunter\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\n';
    for (const agent of [
      'Saunter',
      'Saunter/1.2 (+https://x.test/bot)',
      'Mozilla/5.0 (compatible; Saunter/1.0; +http://x)',
    ]) {
      expect([allows(robots, '/mine', agent), allows(robots, '/all', agent)]).toEqual([false, true]);
    }
    for (const agent of ['', '*', 'SaunterNews', 'Saun']) {
      expect([allows(robots, '/mine', agent), allows(robots, '/all', agent)]).toEqual([true, false]);
    }
  });

  it('lets no other record end a group', () => {
    const robots =
      'User-agent: a\nCrawl-delay: 7\nSitemap: /s.xml\nNoindex: /n\nContent-Signal: ai-train=no\nUser-agent: b\nDisallow: /x\n';
    expect([allows(robots, '/x', 'a'), allows(robots, '/x', 'b'), allows(robots, '/x', 'c')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('ignores rules before the first User-agent line', () => {
    expect(allows('Disallow: /\nUser-agent: *\nDisallow: /x\n', '/y')).toBe(true);
  });

  it('finds a group behind thousands of others', () => {
    const others = Array.from(
      { length: 5000 },
      (_, i) => `User-agent: bot-${'abcdefghij'[i % 10]}\nDisallow: /\n`,
    ).join('\n');
    expect(allows(`${others}\nUser-agent: *\nDisallow: /form/\n`, '/form/x')).toBe(false);
  });
});

describe('matching', () => {
  it('lets the rule with the most octets win, and Allow among equals', () => {
    expect(allows(star('Disallow: /example/', 'Allow: /example/public/'), '/example/public/x')).toBe(true);
    expect(allows(star('Allow: /p', 'Disallow: /'), '/page')).toBe(true);
    expect(allows(star('Disallow: /folder', 'Allow: /folder'), '/folder/page')).toBe(true);
    expect(allows(star('Allow: /page', 'Disallow: /*.htm'), '/page.htm')).toBe(false);
    expect(allows(star('Allow: /$', 'Disallow: /'), '/')).toBe(true);
    expect(allows(star('Allow: /$', 'Disallow: /'), '/page')).toBe(false);
  });

  it('counts octets after decoding, so that a longer spelling of a rule is not a longer rule', () => {
    expect(allows(star('Disallow: /%7Ejoe/', 'Allow: /~joe/'), '/~joe/x')).toBe(true);
    expect(allows(star('Disallow: /%70%72%69', 'Allow: /priv'), '/private')).toBe(true);
  });

  it('compares percent-encodings as RFC 9309 says', () => {
    expect(allows(star('Disallow: /%7Ejoe'), '/~joe')).toBe(false);
    expect(allows(star('Disallow: /~joe'), '/%7ejoe')).toBe(false);
    expect(allows(star('Disallow: /foo/bar/%62%61%7A'), '/foo/bar/baz')).toBe(false);
    expect(allows(star('Disallow: /ツ'), '/%E3%83%84')).toBe(false);
    expect(allows(star('Disallow: /%e3%83%84'), '/ツ')).toBe(false);
    expect(allows(star('Disallow: /a%2fb'), '/a/b')).toBe(true);
    expect(allows(star('Disallow: /a%2fb'), '/a%2Fb')).toBe(false);
    expect(allows(star('Disallow: /a<b'), '/a%3Cb')).toBe(false);
    expect(allows(star('Disallow: /100%'), '/100%25')).toBe(false);
  });

  it('gives * and $ their meaning only where they are written as such', () => {
    expect(allows(star('Disallow: /path/foo-%24'), '/path/foo-$')).toBe(false);
    expect(allows(star('Disallow: /path/foo-%24'), '/path/foo-')).toBe(true);
    expect(allows(star('Disallow: /file-%2A.html'), '/file-*.html')).toBe(false);
    expect(allows(star('Disallow: /file-%2A.html'), '/file-x.html')).toBe(true);
    expect(allows(star('Disallow: /x$/y'), '/x%24/y')).toBe(false);
    expect(allows(star('Disallow: /*.print$', 'Disallow: /*.print?'), '/a.printer')).toBe(true);
    expect(allows(star('Disallow: /*.print$', 'Disallow: /*.print?'), '/a.print?x')).toBe(false);
    expect(allows(star('Disallow: *.gif$'), '/a/b.gif')).toBe(false);
    expect(allows(star('Disallow: /a*a$'), '/a')).toBe(true);
  });

  it('always allows /robots.txt, and only that', () => {
    const robots = star('Disallow: /');
    expect(allows(robots, 'https://h.test/robots.txt')).toBe(true);
    expect(allows(robots, '/robots.txtx')).toBe(false);
    expect(allows(robots, '/a/robots.txt')).toBe(false);
  });

  it('names the line that decided, as written', () => {
    const rules = parseRobots(star('  DISALLOW : /a # not b', 'Allow: /a/%7E'), 'x');
    expect(rules.match('/a/b')).toEqual({ allowed: false, rule: 'DISALLOW : /a', line: 2 });
    expect(rules.match('/a/~')).toEqual({ allowed: true, rule: 'Allow: /a/%7E', line: 3 });
    expect(rules.match('/c')).toEqual({ allowed: true, rule: null, line: null });
  });

  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CR LF', '\r\n'],
  ])('counts lines that end at %s as an editor does', (_, end) => {
    const robots = ['# a comment', '', 'User-agent: *', '', 'Disallow: /x'].join(end);
    expect(parseRobots(robots, 'x').match('/x').line).toBe(5);
  });

  it('says whose rules these are', () => {
    const robots = 'User-agent: saunter\nDisallow: /\n\nUser-agent: *\nAllow: /\n';
    expect([parseRobots(robots, 'Saunter').group, parseRobots(robots, 'x').group]).toEqual(['named', 'everybody']);
    expect(parseRobots('Disallow: /', 'x').group).toBeNull();
  });

  it('agrees with a plain reading of the RFC on random rules', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '%61', '%2F', '%2f', '~', '%7E', '$', 'é');
    const path = fc.array(piece, { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    const rule = fc.record({ allow: fc.boolean(), path });
    const url = fc.array(fc.constantFrom('a', 'b', '/', '%2F', '~', '*', '$', '%C3%A9'), { maxLength: 9 });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), url, (rules, parts) => {
        const text = star(...rules.map((r) => `${r.allow ? 'Allow' : 'Disallow'}: ${r.path}`));
        expect(allows(text, `/${parts.join('')}`)).toBe(
          plainVerdict(plainRules(utf8(text), 'Saunter'), `/${parts.join('')}`),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('lines', () => {
  it('ends lines at CR, LF or both, and skips a byte order mark', () => {
    for (const end of ['\n', '\r', '\r\n', '\r\r\n']) {
      const robots = `\ufeffUser-agent: *${end}Disallow: /x${end}`;
      expect([allows(robots, '/x'), allows(Buffer.from(robots), '/x'), allows(robots, '/y')]).toEqual([
        false,
        false,
        true,
      ]);
    }
  });

  it('reads UTF-16 with a byte order mark', () => {
    const little = Buffer.from(`\ufeff${star('Disallow: /x')}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    expect([allows(little, '/x'), allows(big, '/x'), allows(big, '/y')]).toEqual([false, false, true]);
  });

  it('reads the first 500 KiB, and not the line that the cap cuts', () => {
    const filler = `# ${'x'.repeat(97)}\n`.repeat(5119);
    const head = `User-agent: *\nDisallow: /\n${filler}`;
    const robots = `${head}${' '.repeat(ROBOTS_MAX_BYTES - head.length - 'Allow: /'.length)}Allow: /public\n`;
    expect(robots.length).toBeGreaterThan(ROBOTS_MAX_BYTES);
    expect(allows(robots, '/secret')).toBe(false);
    const begin = '\ufeffUser-agent: *\nDisallow: /\n';
    const wide = `${begin}${' '.repeat(ROBOTS_MAX_BYTES / 2 - begin.length - 'Allow: /'.length)}Allow: /public\n`;
    expect(allows(Buffer.from(wide, 'utf16le'), '/secret')).toBe(false);
    expect(allows(`${star('Disallow: /x')}${'#\n'.repeat(400_000)}Disallow: /y`, '/y')).toBe(true);
    expect(allows(`${star('Disallow: /x')}${'#\n'.repeat(400_000)}`, '/x')).toBe(false);
  });

  it('obeys rules whose spelling leaves no doubt', () => {
    expect(allows('useragent: *\nDissalow: /x\n', '/x')).toBe(false);
    expect(allows('user-agent saunter\ndisallow /\n', '/x')).toBe(false);
  });

  it('finds no rules in a page of HTML or in noise', () => {
    expect(allows('<!doctype html><title>404</title><p>User-agent: everybody</p>', '/x')).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.webUrl(), (bytes, url) => {
        expect(typeof parseRobots(bytes, 'Saunter').allows(url)).toBe('boolean');
      }),
    );
  });
});

describe('other records', () => {
  it('reads decimals of Crawl-delay, and null where there is none', () => {
    const delay = (...lines: string[]) => parseRobots(star(...lines), 'x').crawlDelayMs;
    expect(delay('Crawl-delay: 0.5')).toBe(500);
    expect(delay('crawl-delay:2 # slow')).toBe(2000);
    expect(delay('Crawl-delay: 0')).toBe(0);
    expect(delay('Crawl-delay: 1', 'Crawl-delay: 3')).toBe(3000);
    for (const value of ['', 'word', '-1', 'NaN', 'Infinity', '1e9', '0x10'])
      expect(delay(`Crawl-delay: ${value}`)).toBeNull();
    expect(delay('Disallow: /')).toBeNull();
  });

  it('gives a Crawl-delay to the agents directly above it, and their rules to the whole group', () => {
    const robots =
      'User-agent: a\nCrawl-delay: 10\nUser-agent: b\nUser-agent: c\nCrawl-delay: 2\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n';
    const delays = ['a', 'b', 'c', 'd'].map((agent) => parseRobots(robots, agent).crawlDelayMs);
    expect(delays).toEqual([10_000, 2000, 2000, null]);
    expect(['a', 'b', 'c', 'd'].map((agent) => allows(robots, '/x', agent))).toEqual([false, false, false, true]);
    expect(parseRobots('Crawl-delay: 1\n\nUser-agent: *\nDisallow: /*.aspx\n', 'x').crawlDelayMs).toBeNull();
  });

  it('lists every sitemap once, wherever it stands', () => {
    const robots =
      'Sitemap: https://h.test/a.xml\nUser-agent: x\nSitemap:/b.xml\nDisallow: /\nsitemap : https://h.test/a.xml\n';
    expect(parseRobots(robots, 'y').sitemaps).toEqual(['https://h.test/a.xml', '/b.xml']);
  });

  it('keeps AI preferences of the group, and those that stand before all groups', () => {
    const robots =
      'Content-Signal: search=yes\nUser-agent: *\nContent-Usage: train-ai=n\nAllow: /\nUser-agent: x\nContent-Signal: ai-train=no\n';
    expect(parseRobots(robots, 'y').contentSignals).toEqual([
      'Content-Signal: search=yes',
      'Content-Usage: train-ai=n',
    ]);
    expect(parseRobots(robots, 'x').contentSignals).toEqual([
      'Content-Signal: search=yes',
      'Content-Signal: ai-train=no',
    ]);
  });
});

describe('time and memory', () => {
  /** CPU milliseconds, so that a busy machine does not fail us. */
  const timed = (work: () => void) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };

  it('matches runs of * in linear time', () => {
    const stars = parseRobots(star(`Disallow: /${'*a'.repeat(200)}*b$`, `Disallow: /${'*'.repeat(5000)}c$`), 'x');
    expect(timed(() => expect(stars.allows(`/${'a'.repeat(20_000)}`)).toBe(true))).toBeLessThan(200);
    const needle = parseRobots(star(`Disallow: /*${'a'.repeat(10_000)}b`), 'x');
    expect(timed(() => expect(needle.allows(`/${'a'.repeat(200_000)}`)).toBe(true))).toBeLessThan(400);
  });

  it('parses a full-sized hostile file quickly, and looks up in it quickly', () => {
    const rules = Array.from({ length: 24_000 }, (_, i) => `Disallow: /p${i}/q${i}\n`).join('');
    const compiled: ReturnType<typeof parseRobots>[] = [];
    expect(timed(() => compiled.push(parseRobots(`User-agent: *\n${rules}`, 'x')))).toBeLessThan(1500);
    const lookups = timed(() => {
      for (let i = 0; i < 10_000; i++) expect(compiled[0].allows(`/p${i}/q${i}/z`)).toBe(i >= 24_000);
    });
    expect(lookups).toBeLessThan(1500);
    for (const unit of ['<', ' ', ':', '*', '\n', '\r', '%', 'User-agent: a\n', 'Disallow\n', 'Disallow: /*a*b*c\n']) {
      const bytes = Buffer.from(`<${unit.repeat(ROBOTS_MAX_BYTES / unit.length)}`);
      expect(
        timed(() => parseRobots(bytes, 'a').allows(`/${'ab'.repeat(500)}`)),
        JSON.stringify(unit),
      ).toBeLessThan(1500);
    }
  });

  it('reads a file with thousands of wildcards strictly rather than slowly', () => {
    const flood = Array.from({ length: 20_000 }, (_, i) => `Disallow: /a*aaaaab${i}`);
    const rules = parseRobots(star('Allow: /public', ...flood, 'Disallow: /x*y', 'Allow: /*z', 'Disallow: /p*q$'), 'x');
    expect(['/public', '/x', '/xz', '/p/q', '/b'].map((path) => rules.allows(path))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    const few = parseRobots(star('Allow: /public', 'Disallow: /x*y', 'Allow: /*z', 'Disallow: /p*q$'), 'x');
    expect(['/public', '/x', '/xz', '/p/q', '/b'].map((path) => few.allows(path))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
    const time = timed(() => {
      for (let i = 0; i < 10; i++) rules.allows(`/b${'a'.repeat(999)}`);
    });
    expect(time).toBeLessThan(1000);
  });

  it('estimates its memory from what it keeps', () => {
    expect(parseRobots('', 'x').bytes).toBeLessThan(1024);
    expect(parseRobots(star(...Array.from({ length: 1000 }, (_, i) => `Disallow: /${i}`)), 'x').bytes).toBeGreaterThan(
      50_000,
    );
  });
});

interface Group {
  source: string;
  robots?: string;
  robots_b64?: string;
  cases: { id: string; agent: string; url: string; allowed: boolean }[];
}
interface ParseCase {
  id: string;
  kind: string;
  url: string;
  robots?: string;
  robots_b64?: string;
  agent: string;
  agents: string[];
  robots_url: string;
  crawl_delay_ms: number | null;
  sitemaps: string[];
  expected: unknown;
}

const load = <T>(name: string): T[] =>
  readFileSync(new URL(`../fixtures/robots/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
const bodyOf = (c: { robots?: string; robots_b64?: string }) =>
  c.robots_b64 === undefined ? Buffer.from(c.robots ?? '') : Buffer.from(c.robots_b64, 'base64');
const wrongIn = (groups: Group[]) =>
  groups.flatMap((group) =>
    group.cases.filter((c) => parseRobots(bodyOf(group), c.agent).allows(c.url) !== c.allowed).map((c) => c.id),
  );

/** Where we differ from a parser's own test, and why: `docs/robots.md` has the sentences of the RFC. */
const DIFFERENCES: Record<string, string[]> = {
  'octets are compared after decoding': ['4b8dc8d2ae6d', '876aae7f6270'],
  'several names of one crawler': ['c8bd5e22013c', '4ae655b3cad4', 'fbc3730c1cff'],
  'a line that is no record': ['661746430840'],
  'a missing colon is forgiven': ['291f73c9f551'],
  'a rule starts with a slash or a star': ['91fb40dde233', 'e7a1a558a0ba', 'a92340c9c44f'],
  'rules belong to a group': ['adaf84995c48'],
  'an origin is not the parser’s business': ['61f88e649a35'],
  'other records end no group': ['46a1ff37a5d8'],
};

describe('outside cases', () => {
  it('passes the unit tests of five other parsers and the RFC', () => {
    // One of 700: it wants "Foo Bar" not to be named by a line that must name "foo bar" in another of the cases.
    expect(wrongIn(load<Group>('unit-core'))).toEqual(['c7991317e443']);
  });

  it('differs from other parsers only where docs/robots.md says so', () => {
    expect(wrongIn(load<Group>('unit-divergent')).sort()).toEqual(Object.values(DIFFERENCES).flat().sort());
  });

  it('agrees with three reference parsers where they agree on generated files', () => {
    expect(wrongIn(load<Group>('random'))).toEqual([]);
  });

  it('reads delays, sitemaps and paths as other parsers do', () => {
    const wrong: string[] = [];
    for (const c of load<ParseCase>('parse')) {
      const same = (answer: unknown, expected: unknown) => {
        if (JSON.stringify(answer) !== JSON.stringify(expected)) wrong.push(c.id);
      };
      const agent = c.agents?.[c.agents.length > 1 ? 1 : 0] ?? c.agent ?? '';
      const rules = parseRobots(bodyOf(c), agent);
      if (c.kind === 'path_of_url') same(pathOfUrl(c.url), c.expected);
      if (c.kind === 'crawl_delay') same(rules.crawlDelayMs === null ? null : rules.crawlDelayMs / 1000, c.expected);
      if (c.kind === 'sitemaps') same(rules.sitemaps, c.expected);
      if (c.kind === 'parse_global') same(rules.sitemaps, c.sitemaps);
      if (c.kind !== 'parse') continue;
      const sitemaps = rules.sitemaps.map((sitemap) => new URL(sitemap, c.robots_url).href);
      same([rules.crawlDelayMs, [...sitemaps].sort()], [c.crawl_delay_ms, [...c.sitemaps].sort()]);
    }
    // A Crawl-delay outside of all groups: one parser reads it, another one tests that it does not.
    expect(wrong).toEqual(['5ecf177c437d']);
  });
});
