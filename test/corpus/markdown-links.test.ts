import { expect, test } from 'vitest';
import { absoluteLinks, relativeLinks } from '../../src/corpus/markdown-files.js';

const BASE = 'http://a.example/docs/page';

test.each([
  [
    'See [one](two) and [three](../four#five).',
    'See [one](http://a.example/docs/two) and [three](http://a.example/four#five).',
  ],
  ['- [x](<a b>)', '- [x](http://a.example/docs/a%20b)'],
  ['[x](<a(b)>)', '[x](<http://a.example/docs/a(b)>)'],
  ['[x](https://b.example/) [m](mailto:me@a.example)', '[x](https://b.example/) [m](mailto:me@a.example)'],
  ['[x](http://[)', '[x](http://[)'],
  ['`[code](stays)` [link](moves)', '`[code](stays)` [link](http://a.example/docs/moves)'],
  ['`` a ` [code](stays) ``', '`` a ` [code](stays) ``'],
  ['\\[not a link\\](stays)', '\\[not a link\\](stays)'],
  ['```\n[code](stays)\n```\n[link](moves)', '```\n[code](stays)\n```\n[link](http://a.example/docs/moves)'],
  ['1. ````\n   ```\n   [code](stays)\n   ````', '1. ````\n   ```\n   [code](stays)\n   ````'],
])('links of %j', (markdown, wanted) => {
  expect(absoluteLinks(markdown, BASE)).toBe(wanted);
});

test.each([
  ['[b](http://a.example/b#part) [o](https://o.example/x)', '[b](b.md#part) [o](../o.example/x.md)'],
  [
    '[else](http://a.example/else) `[b](http://a.example/b)`',
    '[else](http://a.example/else) `[b](http://a.example/b)`',
  ],
  ['[self](http://a.example/a) [m](mailto:a@a.example)', '[self](a.md) [m](mailto:a@a.example)'],
])('links of %j lead to files where there are some', (markdown, wanted) => {
  const files: Record<string, string> = {
    'http://a.example/a': 'a.example/a.md',
    'http://a.example/b': 'a.example/b.md',
    'https://o.example/x': 'o.example/x.md',
  };
  const fileOf = (url: string) => files[url.replace(/#.*/, '')];
  expect(relativeLinks(markdown, 'a.example/a.md', fileOf)).toBe(wanted);
});

test('hostile text takes linear time', () => {
  for (const piece of ['`', '](', '[x](', '``` ', '<', '(', '\\]']) {
    const text = piece.repeat(200_000 / piece.length);
    const start = performance.now();
    absoluteLinks(text, BASE);
    expect(performance.now() - start, piece).toBeLessThan(2_000);
  }
});
