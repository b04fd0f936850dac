import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { apiPage } from '../../checks/api.mjs';

const root = mkdtempSync(join(tmpdir(), 'saunter-api-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The report of these declarations. */
function report(files: Record<string, string>): string {
  mkdirSync(root, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return apiPage(root);
}

test('the report shows what can be imported and reached, without comments and private members', () => {
  const page = report({
    'index.d.ts': "export { Box, type Name } from './a.js';\n",
    'a.d.ts': [
      "import type { Inner } from './c.js';",
      "export type { Name } from './b.js';",
      'export declare class Box {',
      '    #private;',
      '    /** Says something. */',
      '    readonly inner: Inner;',
      '    private hidden;',
      '    open(): void; // as it says',
      '}',
    ].join('\n'),
    'b.d.ts': 'export type Name = string;\n',
  });
  expect(page).toContain(
    '## Box\n\n```ts\nexport declare class Box {\n    readonly inner: Inner;\n    open(): void;\n}\n',
  );
  expect(page).toContain('## Name\n\n```ts\nexport type Name = string;\n');
  expect(page).toMatch(/by name[\s\S]*`Inner`/);
});

test('an entrance that declares something of its own, or passes on what is not there, is refused', () => {
  expect(() => report({ 'index.d.ts': 'export declare const own: number;\n' })).toThrow(/only export names/);
  expect(() => report({ 'index.d.ts': "export { none } from './b.js';\n", 'b.d.ts': '' })).toThrow(/does not declare/);
});
