/** The corpus of a real crawl: exported in every format, read again, and exported again. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedPage } from '../../src/corpus/pages.js';
import { pdf } from '../support/pdf.js';
import { configFile, crawl, removeScratches, saunter, scratch, start } from '../support/saunter.js';
import { links, Sites } from '../support/sites.js';

const PAGES = 150;
const handler = new URL('../support/handler.mjs', import.meta.url).pathname;
const words = (n: number): string => Array.from({ length: 120 }, (_, i) => `w${(n * 31 + i * i) % 997}`).join(' ');
const page = (n: number): string =>
  `<!doctype html><html lang="en"><title>Page ${n}</title><main><h1>Page ${n}</h1><p>${words(n)}</p>${links(`/p/${(n + 1) % PAGES}`)}</main>`;

let site: Sites;
let dir: string;
beforeAll(async () => {
  site = await Sites.start({
    '*': (target) => {
      const n = Number(/^\/p\/(\d+)$/.exec(target)?.[1] ?? -1);
      if (n >= 0) return page(n);
      if (target === '/')
        return links(...Array.from({ length: PAGES }, (_, i) => `/p/${i}`), '/twin', '/a.pdf', '/mine', '/bad');
      if (target === '/twin') return page(7);
      if (target === '/a.pdf')
        return { headers: { 'Content-Type': 'application/pdf' }, body: pdf([{ lines: ['In a PDF'] }]) };
      if (target === '/mine' || target === '/bad')
        return { headers: { 'Content-Type': 'text/x-mine' }, body: target === '/bad' ? 'exit' : 'mine' };
      return { status: 404 };
    },
  });
  dir = scratch();
  const flags = ['--dir', dir, '--delay', '0', '--patience', '20s', '--allow-private', '127.0.0.0/8'];
  expect((await crawl([site.url('127.0.0.1'), ...flags])).summary).toMatchObject({ pages: PAGES + 5, pending: 0 });
}, 60_000);
afterAll(async () => {
  await site.stop();
  removeScratches();
});

async function exported(format: string, ...flags: string[]): Promise<string> {
  const out = join(scratch(), 'out');
  const { code, err } = await saunter(['export', '--dir', dir, '--format', format, '--out', out, ...flags]);
  expect(code, err).toBe(0);
  return out;
}
const jsonl = async (...flags: string[]): Promise<ExportedPage[]> =>
  readFileSync(await exported('jsonl', ...flags), 'utf8').trim().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: short
const reparse = async (...flags: string[]): Promise<Record<string, number>> => {
  const { code, out, err } = await saunter(['reparse', '--dir', dir, '--json', '--workers', '2', ...flags]);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Record<string, number>;
};
const verified = async (): Promise<boolean> => JSON.parse((await saunter(['verify', '--dir', dir, '--json'])).out).ok;

describe('reparse', () => {
  test('gives what the crawl gave, without a request', async () => {
    const before = await jsonl();
    expect(before).toHaveLength(PAGES + 5);
    const asked = site.log.length;
    expect(await reparse()).toEqual({ read: 0, changed: 0, failed: 0 });
    // the twin's record is a revisit: its body is its twin's
    expect(await reparse('--all')).toEqual({ read: PAGES + 4, changed: 0, failed: 0 });
    expect(await jsonl()).toEqual(before);
    expect(site.log).toHaveLength(asked);
    expect(await verified()).toBe(true);
  }, 60_000);

  test('a handler that was not there shows, and one that dies costs its page only', async () => {
    const config = configFile({ handlers: [`text/x-mine=${handler}`] });
    expect(await reparse('--all', '--config', config)).toEqual({ read: PAGES + 3, changed: 1, failed: 1 });
    const pages = new Map((await jsonl()).map((found) => [new URL(found.url).pathname, found]));
    expect(pages.get('/mine')).toMatchObject({ title: 'handled', text: 'mine' });
    expect(pages.get('/bad')).toMatchObject({ title: '', text: 'exit' });
    expect(pages.get('/p/3')?.title).toBe('Page 3');
    expect(await verified()).toBe(true);
  }, 60_000);

  test('a killed one loses nothing; the next one, and the crawl, go on', async () => {
    const before = await jsonl();
    const config = configFile({ handlers: [`text/html=${handler}`] });
    for (const wait of [300, 700]) {
      const { child, over } = start(['reparse', '--dir', dir, '--all', '--config', config, '--workers', '2']);
      await sleep(wait);
      child.kill('SIGKILL');
      await over;
      expect(await verified()).toBe(true);
    }
    await reparse('--all');
    expect(await jsonl()).toEqual(before.map((found) => (found.title === 'handled' ? expect.anything() : found)));
    const again = await crawl(['--dir', dir, '--delay', '0', '--patience', '20s', '--allow-private', '127.0.0.0/8']);
    expect(again.code, again.err).toBe(0);
    expect(await verified()).toBe(true);
    expect(readdirSync(join(dir, 'text')).filter((name) => name.endsWith('.open'))).toEqual([]);
  }, 60_000);
});

test('what was imported can be crawled on from', async () => {
  const imported = join(scratch(), 'crawl');
  const files = readdirSync(join(dir, 'warc')).filter((name) => name.endsWith('.gz')).map((name) => join(dir, 'warc', name)); // biome-ignore format: short
  const { code, err } = await saunter(['import', ...files, '--dir', imported]);
  expect(code, err).toBe(0);
  const texts = async (of: string) => {
    const out = (await saunter(['export', '--dir', of])).out;
    return new Map(out.trim().split('\n').map((line) => JSON.parse(line) as ExportedPage).map(({ url, title, text, duplicateOf }) => [url, [title, text, duplicateOf]])); // biome-ignore format: short
  };
  const [before, after] = [await texts(dir), await texts(imported)];
  // read again by a handler, or a revisit of what the crawl had under another URL
  for (const path of ['/mine', '/bad', '/twin'])
    for (const map of [before, after]) map.delete(site.url('127.0.0.1', path));
  expect(after).toEqual(before);
  expect((await saunter(['status', '--dir', imported])).out).toMatch(/^requests +0 {3}none was made yet$/m);
  // a host that was imported is not one that the operator named: private addresses stay closed to it
  const flags = ['--dir', imported, '--add', '--delay', '0', '--patience', '20s', '--allow-private', '127.0.0.0/8'];
  flags.push('--resolve', 'new.test=127.0.0.1');
  const { summary } = await crawl([site.url('new.test', '/p/1'), ...flags, '--max-depth', '0']);
  expect(summary.requests).toBe(2);
  expect(JSON.parse((await saunter(['verify', '--dir', imported, '--json'])).out)).toMatchObject({ ok: true });
}, 60_000);
