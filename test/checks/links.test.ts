import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { anchorsOf, checkLinks, linksOf } from '../../checks/links.mjs';
import { removeScratches, scratch } from '../support/saunter.js';

afterAll(removeScratches);

test('links and pictures are found, in Markdown and HTML, and not in code', () => {
  const text = `[a](a.md) ![b](b.png "words") [c](<c.md>) <img src="d.png"> <source srcset="e.png">
\`[not](one.md)\` and \`\`[nor \` this](two.md)\`\` then [f](f.md)
\`\`\`md
[nor](three.md)
\`\`\`
[g]: g.md
`;
  expect(linksOf(text).sort()).toEqual(['a.md', 'b.png', 'c.md', 'd.png', 'e.png', 'f.md', 'g.md']);
});

test('headings are named as GitHub names them, the second of a name by its number', () => {
  const text = '# A `saunter audit HOST`, and *more*\n## Same\n```\n# no heading\n```\n## Same\n### Über [us](x.md)?\n';
  expect([...anchorsOf(text)]).toEqual(['a-saunter-audit-host-and-more', 'same', 'same-1', 'über-us']);
});

test('a missing file, a missing heading and a page nobody links are faults; folders and other sites are none', () => {
  const root = scratch();
  mkdirSync(join(root, 'docs/notes'), { recursive: true });
  const pages = {
    'README.md': '[a](docs/a.md#here) [site](https://example.org/x.md) [mail](mailto:a@b.test) [notes](docs/notes/)',
    'docs/a.md': '# Here\n[self](#here) [gone](gone.md) [no heading](a.md#there) [up](../README.md)',
    'docs/notes/001.md': '# One',
    'docs/alone.md': '# Alone',
  };
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, name), text);
  expect(checkLinks(root)).toEqual([
    'docs/a.md links to gone.md, which is not there',
    'docs/a.md links to a.md#there, which has no heading of that name',
    'no link leads from README.md to docs/alone.md',
  ]);
});
