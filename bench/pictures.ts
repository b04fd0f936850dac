/** `npm run pictures`: the pictures of the README, taken of a real crawl of the demo's web in Debian's Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { ServerProcess } from '../src/sim/server-process.js';
import { programFile } from './program.js';
import { onTerminal, terminalPage } from './terminal-picture.js';

const TOKEN = 'a-token-for-pictures-0123';
const PORT = 8799;
const HOME = `http://127.0.0.1:${PORT}/`;
const PICTURES = join(process.cwd(), 'docs/pictures');
/** ms of crawling before the first picture. */
const RUN_IN = 45_000;
const TERMINAL = { columns: 100, rows: 30 };
/** Name, colours, size, view, and what has to be there. */
const VIEWS = [
  ['dashboard', 'light', 1280, 860, '', '.chart canvas'],
  ['dashboard-dark', 'dark', 1280, 860, '', '.chart canvas'],
  ['hosts', 'light', 1280, 700, '#/hosts', 'tbody tr'],
  ['phone', 'light', 390, 800, '', '.chart canvas'],
] as const;

const server = await ServerProcess.start({ web: 'demo' });
const scratch = mkdtempSync(join(tmpdir(), 'saunter-pictures-'));
writeFileSync(join(scratch, 'seeds.txt'), `${server.ready.seeds.join('\n')}\n`);
// the demo's web has its own addresses; it is slowed down, so that there is something to see for a while
const config = { resolve: [server.ready.resolve], allowPrivate: ['127.0.0.0/8'], delay: '1500ms', patience: '5m' };
writeFileSync(join(scratch, 'demo.json'), JSON.stringify(config));
const words = ['crawl', '--seeds', 'seeds.txt', '--scope', 'any', '--config', 'demo.json', '--dir', 'saunter-demo'];
const crawl = onTerminal([process.execPath, programFile, ...words, '--admin', String(PORT)], TERMINAL, {
  cwd: scratch,
  env: { ...process.env, SAUNTER_TOKEN: TOKEN },
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  await new Promise((resolve) => setTimeout(resolve, RUN_IN));
  const shown = crawl.screen().map((line) => line.trimEnd());
  await takeTerminal(browser, [`$ saunter ${words.join(' ')}`, ...shown]);
  for (const view of VIEWS) await take(browser, ...view);
} finally {
  await browser.close();
  crawl.child.kill('SIGHUP');
  await server.stop();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

async function take(browser: Browser, ...[name, colorScheme, width, height, view, wanted]: (typeof VIEWS)[number]) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  const page = await context.newPage();
  await page.goto(`${HOME}#token=${TOKEN}`);
  await page.locator('.tile').first().waitFor();
  if (view !== '') await page.goto(`${HOME}${view}`);
  await page.locator(wanted).first().waitFor();
  await page.waitForTimeout(3_000);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  await context.close();
}

async function takeTerminal(browser: Browser, lines: readonly string[]): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 1.5 });
  await page.setContent(terminalPage(lines, TERMINAL.columns));
  await page.locator('main').screenshot({ path: join(PICTURES, 'terminal.png'), omitBackground: true });
  await page.close();
}
