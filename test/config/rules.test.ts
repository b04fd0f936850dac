/** The option `rules`: what may stand in it, and the sentence for each mistake. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { readYaml } from '../../src/config/yaml.js';
import { ownScopeRules } from '../../src/url/own-rules.js';
import { compileScope } from '../../src/url/scope.js';

const loaded = (yaml: string) => {
  const read = readYaml(yaml, 'my.yaml');
  return loadConfig(read.values, {}, { name: 'my.yaml', ...read }).rules;
};

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('the rules of a config file', () => {
  it('are read in their order, one value as a list of it', () => {
    const yaml = `
rules:
  - reject: { regexp: '/print/' }
  - accept:
      host: [a.example, "B.example"]
  - accept: { domain: c.example }
  - reject: { prefix: [https://d.example/x] }
  - reject: { glob: '*.zip' }
  - reject: { contentType: [Image/*, text/css] }
  - reject: { addressFamily: 6 }
`;
    expect(loaded(yaml)).toEqual([
      { reject: { regexp: ['/print/'] } },
      { accept: { host: ['a.example', 'B.example'] } },
      { accept: { domain: ['c.example'] } },
      { reject: { prefix: ['https://d.example/x'] } },
      { reject: { glob: ['*.zip'] } },
      { reject: { contentType: ['image/*', 'text/css'] } },
      { reject: { addressFamily: ['6'] } },
    ]);
    expect(loaded('rules: []')).toEqual([]);
  });

  it.each([
    ['- reject', 'cannot be "reject": give a rule, such as { reject: { glob: "*/print/*" } }.'],
    ['- {}', 'must say accept or reject, and says nothing: give a rule, such as'],
    ['- { host: a.example }', 'must say accept or reject, and says "host": give a rule'],
    ['- { accept: { host: a.b }, reject: { host: c.d } }', 'must say accept or reject, and says "accept", "reject"'],
    [
      '- reject:',
      'needs a condition after reject: one of host, domain, prefix, glob, regexp, contentType, addressFamily',
    ],
    ['- reject: {}', 'needs a condition after reject: one of'],
    ['- reject: { hots: a.example }', 'has no condition "hots": the nearest is host.'],
    ['- reject: { qqqqqq: 1 }', 'has no condition "qqqqqq": give one of host, domain,'],
    ['- reject: { host: a.b, glob: "*" }', 'has 2 conditions (host, glob): give each a rule of its own.'],
    ['- reject: { host: [] }', 'has 0 values after host: give 1 to 10,000.'],
    ['- reject: { host: 7 }', 'cannot have 7 after host: give a host name, such as www.example.org.'],
    ['- reject: { host: "*.a.b" }', 'cannot have "*.a.b" after host: give a host name'],
    ['- reject: { domain: "a.b:8080" }', 'cannot have "a.b:8080" after domain: give a registrable domain'],
    ['- reject: { domain: "a b" }', 'cannot have "a b" after domain'],
    ['- reject: { prefix: /x }', 'cannot have "/x" after prefix: give an http(s) URL, such as'],
    ['- reject: { glob: "a b" }', 'cannot have "a b" after glob: give a glob over the whole URL'],
    ['- reject: { regexp: "(a" }', 'cannot have "(a" after regexp: the pattern (a '],
    ['- reject: { regexp: "(a)\\\\1" }', 'cannot have "(a)\\\\1" after regexp: the pattern (a)\\1 '],
    ['- accept: { contentType: image/png }', 'cannot accept by contentType: that can only be rejected.'],
    ['- accept: { addressFamily: 6 }', 'cannot accept by addressFamily: that can only be rejected.'],
    ['- reject: { contentType: images }', 'cannot have "images" after contentType: give a media type, such as'],
    ['- reject: { contentType: "*/*" }', 'cannot have "*/*" after contentType'],
    ['- reject: { addressFamily: 5 }', 'cannot have 5 after addressFamily: give 4 or 6.'],
    ['- reject: { regexp: "" }', 'cannot have "" after regexp: give a regular expression, such as'],
  ])('%s is refused with its line', (rule, words) => {
    const yaml = `delay: 1s\nrules:\n  - reject: { host: fine.example }\n\n  ${rule}\n`;
    expect(refusal(() => loaded(yaml))).toContain(`Rule 2 (in my.yaml, line 5) ${words}`);
  });

  it('tells all that are wrong at once', () => {
    const yaml = 'rules:\n  - reject: { hots: a }\n  - accept: { host: a.b }\n  - { glob: "*" }\n';
    const words = refusal(() => loaded(yaml));
    expect(words).toContain('The configuration has 2 mistakes:');
    expect(words).toContain('- Rule 1 (in my.yaml, line 2) has no condition');
    expect(words).toContain('- Rule 3 (in my.yaml, line 4) must say');
  });

  it('must be a list, and not endless', () => {
    expect(refusal(() => loaded('rules: hello'))).toBe(
      'rules in my.yaml, line 1, cannot be "hello": give a list of rules, such as [{"reject": {"glob": "*/print/*"}}].',
    );
    expect(refusal(() => loaded('rules: { reject: { host: a.b } }'))).toBe(
      'rules in my.yaml, line 1, cannot hold "reject.host": give a list of rules, such as [{"reject": {"glob": "*/print/*"}}].',
    );
    const many = (n: number) => Array.from({ length: n }, () => ({ reject: { regexp: 'x' } }));
    expect(loadConfig({ rules: many(100) }).rules).toHaveLength(100);
    expect(refusal(() => loadConfig({ rules: many(150) }))).toBe(
      'Rule 101 (in the configuration) is one too many: all rules have at most 100 regular expressions.',
    );
    const hosts = Array.from({ length: 1_001 }, () => ({ reject: { host: 'a.b' } }));
    expect(refusal(() => loadConfig({ rules: hosts }))).toContain('rules in the configuration cannot be [');
  });

  it('that are read can all be used', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.domain(),
      fc.webUrl(),
      fc.constantFrom(
        'a..',
        '.a',
        'a..b',
        '[::1]',
        '1.1',
        '0x7f.1',
        'b\u00fccher.example',
        'a'.repeat(300),
        '%41.b',
        '-',
      ),
    );
    const condition = fc.tuple(fc.constantFrom('host', 'domain', 'prefix', 'glob', 'regexp'), text);
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), (conditions) => {
        const rules = conditions.map(([name, value]) => ({ reject: { [name]: value } }));
        let read: ReturnType<typeof loaded>;
        try {
          read = loadConfig({ rules }).rules;
        } catch {
          return;
        }
        compileScope(ownScopeRules(read), 'accept');
      }),
      { numRuns: 2_000 },
    );
  });
});
