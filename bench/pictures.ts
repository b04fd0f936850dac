/** `npm run pictures`: the pictures of the README, taken of a real crawl of the demo's web in Debian's Chromium. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ServerProcess } from '../src/sim/server-process.js';
import { programFile } from './program.js';

const TOKEN = 'a-token-for-pictures-0123';
const PORT = 8799;
const PICTURES = join(process.cwd(), 'docs/pictures');
/** ms of crawling before the first picture. */
const RUN_IN = 45_000;

const server = await ServerProcess.start({ web: 'demo' });
const dir = mkdtempSync(join(tmpdir(), 'saunter-pictures-'));
const flags = ['--dir', join(dir, 'crawl'), '--resolve', server.ready.resolve, '--allow-private', '127.0.0.0/8'];
flags.push('--scope', 'any', '--delay', '1500ms', '--patience', '5m', '--admin', String(PORT));
const crawl = spawn(process.execPath, [programFile, 'crawl', ...server.ready.seeds, ...flags], {
  env: { ...process.env, SAUNTER_TOKEN: TOKEN },
  stdio: 'ignore',
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  await new Promise((resolve) => setTimeout(resolve, RUN_IN));
  for (const [name, colorScheme, width, height, view] of [
    ['dashboard', 'light', 1280, 860, ''],
    ['dashboard-dark', 'dark', 1280, 860, ''],
    ['hosts', 'light', 1280, 700, '#/hosts'],
    ['phone', 'light', 390, 800, ''],
  ] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${PORT}/#token=${TOKEN}`);
    await page.locator('.tile').first().waitFor();
    if (view !== '') await page.goto(`http://127.0.0.1:${PORT}/${view}`);
    await page.waitForTimeout(3_000);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  crawl.kill('SIGKILL');
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
