import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FakeProcess } from './process.js';

const page = readFileSync(new URL('../../docs/inspect.md', import.meta.url), 'utf8');

/** Blocks of cases and answers, under the kind whose name they begin with. */
const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text.trim().split('\n'));
const KINDS = ['url', 'robots', 'page', 'sitemap', 'fetch', 'charset', 'type'];

it.each(KINDS.map((kind, i) => [kind, blocks[i]] as const))(
  'the examples of docs/inspect.md are what %s answers',
  async (kind, lines) => {
    expect(lines.length).toBeGreaterThan(1);
    const cases = lines.filter((_, i) => i % 2 === 0);
    const { code, out } = await new FakeProcess({ stdin: cases.join('\n') }).run('inspect', kind);
    expect([code, out.trimEnd().split('\n')]).toEqual([0, lines.filter((_, i) => i % 2 === 1)]);
  },
);

it('docs/inspect.md shows every kind', () => expect(blocks).toHaveLength(KINDS.length));
