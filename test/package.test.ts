/** What `npm publish` would ship, as far as it can be seen without installing it. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { removeScratches, root, scratch } from './support/saunter.js';

const run = promisify(execFile);
afterAll(removeScratches);

test('the package holds the program, its data and its types, and nothing else', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [{ files, size }] = JSON.parse(stdout) as [{ files: { path: string }[]; size: number }];
  const paths = files.map(({ path }) => path);
  const outside = paths.filter((path) => !/^dist\/[\w./-]+(?:\.js|\.d\.ts)$|^dist\/serve\/web\//.test(path));
  expect(outside.sort()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/saunter.js', 'data/cdn-ranges.txt', 'package.json'].sort(),
  );
  expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/serve/web/index.html']));
  expect(size).toBeLessThan(1.5e6);
});

/** A program of somebody else's, in TypeScript. */
const CONSUMER = `
import { createCrawler, exportPages, normalizeUrl, parseRobots, type CrawledPage, type DocumentHandler } from 'saunter';
const crawler = createCrawler({ seeds: ['https://example.org/'], dir: 'd', maxPages: 10, hooks: { fetch: ({ url }) => url !== '' } });
export const read: DocumentHandler = ({ bytes }) => ({ text: new TextDecoder().decode(bytes) });
for await (const page of crawler) console.log((page satisfies CrawledPage).title.length);
export const pages: number | null = await exportPages('d', 'out', { format: 'jsonl', notHosts: ['a.example'] });
export const allowed: boolean = parseRobots('User-agent: *', 'Saunter').allows(normalizeUrl('http://a.test/').url ?? '/');
// @ts-expect-error there is no such option
createCrawler({ seeds: [], dir: 'd', maxPage: 3 });
`;

test('its types resolve for a program in TypeScript, under each module resolution', async () => {
  const dir = scratch();
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(root, join(dir, 'node_modules/saunter'));
  symlinkSync(join(root, 'node_modules/@types'), join(dir, 'node_modules/@types'));
  writeFileSync(join(dir, 'consumer.mts'), CONSUMER);
  const resolutions = [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ];
  await Promise.all(
    resolutions.map(async ([module, moduleResolution], i) => {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: 'es2023',
        types: ['node'],
        module,
        moduleResolution,
      };
      const config = join(dir, `tsconfig.${i}.json`);
      writeFileSync(config, JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
      const tsc = join(root, 'node_modules/.bin/tsc');
      // resolves with what was said; a fault of the compiler rejects with it
      const said = await run(tsc, ['-p', config]).catch(({ stdout }: { stdout: string }) => ({ stdout }));
      expect(said.stdout).toBe('');
    }),
  );
});
