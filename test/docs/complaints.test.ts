/** docs/complaints.md, done step by step on a crawl of two hosts: each command as it stands there. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeCrawl } from '../corpus/made-crawl.js';
import { removeScratches, root, saunter, scratch } from '../support/saunter.js';
import { shellCommands } from '../support/shell-words.js';

const page = readFileSync(join(root, 'docs/complaints.md'), 'utf8');
const commands = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  .flatMap(([, language, block]) => (language === '' ? shellCommands(block) : []))
  .filter(([program]) => program === 'saunter')
  .map(([, ...argv]) => argv)
  .filter(([name]) => name !== 'crawl'); // it would leave this machine

/** Where the commands run: the folder that holds `crawl`. */
let folder: string;
let made: MadeCrawl;
const answers = new Map<string, string>();
beforeAll(async () => {
  const body = (words: string) => `<html lang="en"><title>${words}</title><p>${words}</p></html>`;
  made = new MadeCrawl();
  made.url('http://www.example.org/');
  made.robots('http://www.example.org', -1000, 'User-agent: *\nDisallow: /private/\n');
  made.visit({ url: 'http://www.example.org/', body: body('Theirs.'), text: 'Theirs.' });
  made.visit({ url: 'http://other.example/', body: body('Of others.'), text: 'Of others.' });
  await made.close();
  folder = scratch();
  for (const argv of commands) {
    const here = argv.flatMap(placed);
    const { code, out, err } = await saunter(here);
    expect([argv, code, err]).toEqual([argv, 0, expect.any(String)]);
    answers.set(argv[0], `${answers.get(argv[0]) ?? ''}${out}`);
  }
});
afterAll(() => {
  rmSync(made.dir, { recursive: true });
  removeScratches();
});

/** A word of a command line, with the places that it names. */
function placed(word: string, i: number, argv: readonly string[]): string[] {
  if (word === 'crawl/warc/*.warc.gz') {
    return readdirSync(made.folders.warc).filter((name) => name.endsWith('.warc.gz')).map((name) => join(made.folders.warc, name)); // biome-ignore format: short
  }
  if (argv[i - 1] === '--dir') return [word === 'crawl' ? made.dir : join(folder, word)];
  return [argv[i - 1] === '--out' ? join(folder, word) : word];
}

const urls = async (dir: string): Promise<string[]> =>
  (await saunter(['export', '--dir', dir])).out.trim().split('\n').map((line) => (JSON.parse(line) as { url: string }).url); // biome-ignore format: short

test('each kind of command is among them', () => {
  expect(new Set(commands.map(([name]) => name))).toEqual(
    new Set(['block', 'audit', 'unblock', 'export', 'list', 'import', 'verify', 'bot-page']),
  );
});

test('the host is paused, looked at, and blocked with its reason', () => {
  expect(answers.get('block')).toMatch(/^www\.example\.org is blocked until .*\nwww\.example\.org is blocked; /);
  expect(answers.get('audit')).toContain('None came before its delay was over, and robots.txt allowed each of them.');
  expect(answers.get('audit')).toContain('blocked until');
});

test('what is theirs is told from the rest', async () => {
  const theirs = readFileSync(join(folder, 'theirs.jsonl'), 'utf8').trim().split('\n');
  expect(theirs.map((line) => (JSON.parse(line) as { url: string }).url)).toEqual(['http://www.example.org/']);
  expect(readFileSync(join(folder, 'pages.parquet'), 'latin1')).not.toContain('Theirs');
});

test('the crawl without them holds nothing that they sent, and the rest', async () => {
  const dir = join(folder, 'crawl-2');
  expect(await urls(dir)).toEqual(['http://other.example/']);
  const store = readFileSync(join(dir, 'crawl.sqlite'), 'latin1');
  expect([store.includes('Of others.'), store.includes('Theirs.')]).toEqual([true, false]);
});
