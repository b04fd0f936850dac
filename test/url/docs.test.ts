import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_KEY_OPTIONS, normalizeUrl } from '../../src/url/normalize.js';

const text = readFileSync(new URL('../../docs/urls.md', import.meta.url), 'utf8');

it('the examples of docs/urls.md are what happens', () => {
  const table = text.slice(text.indexOf('| input | normal form |'));
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) {
    const [input, url, fetch] = [...row.matchAll(/`([^`]*)`/g)].map((cell) => cell[1].replaceAll('\\|', '|'));
    const result = normalizeUrl(input);
    expect([input, result.url, result.url !== null && result.fetch]).toEqual([input, url, fetch]);
  }
});

it('docs/urls.md names every parameter that is removed', () => {
  const { trackingParameters, sessionParameters, pathSessionParameters } = DEFAULT_KEY_OPTIONS;
  const names = [...trackingParameters, ...sessionParameters, ...pathSessionParameters.map((name) => `;${name}=`)];
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
