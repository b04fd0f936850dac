/**
 * `npm run bench -- dashboard`: the dashboard of a crawl with 100,000 hosts and a million URLs, in headless Chromium. Rows
 * are appended to the store of a crawl of one unreachable seed; then the real program opens it, and a browser looks: how
 * long to the first paint and to the first figures, how long each page of each table takes, and how long the crawl's loop
 * ever stood still meanwhile (`perf_hooks` in the program itself, resolution 1 ms).
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { measure } from './measure.js';
import { programFile } from './program.js';
import { fillStore } from './restart.js';

const TOKEN = 'a-token-for-the-bench-0123';
const PORT = 8798;
const HOME = `http://127.0.0.1:${PORT}/`;
const [HOSTS, URLS, PAGES] = [100_000, 1_000_000, 50_000];
/** ms: what the dashboard promises. */
const MOST = { paint: 1_000, table: 200, pause: 50 };

/** Runs in the crawl's process: on SIGUSR2 it writes how long the loop stood still since the last time, ms. */
const GAUGE = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { writeFileSync, renameSync } from 'node:fs';
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const { max, mean } = delay;
  delay.reset();
  writeFileSync(process.env.GAUGE + '.new', JSON.stringify({ max: max / 1e6, mean: mean / 1e6 }));
  renameSync(process.env.GAUGE + '.new', process.env.GAUGE);
});
`;

export async function dashboardBench(say: (line: string) => void): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'saunter-dashboard-'));
  const dir = join(scratch, 'crawl');
  const flags = ['crawl', '--dir', dir, '--allow-private', '127.0.0.0/8', '--dns', '127.0.0.1:9'];
  flags.push('--contact', 'mailto:bench@example.com', '--scope', 'any');
  const gauge = join(scratch, 'gauge.mjs');
  writeFileSync(gauge, GAUGE);
  try {
    await measure([
      process.execPath,
      programFile,
      ...flags,
      'http://127.0.0.1:9999/',
      '--max-duration',
      '1s',
      '--json',
    ]);
    await fillStore(join(dir, 'crawl.sqlite'), { urls: URLS, pages: PAGES, hosts: HOSTS, say });
    const told = join(scratch, 'delay.json');
    const args = ['--import', gauge, programFile, ...flags, '--admin', String(PORT), '--patience', '30m'];
    const env = { ...process.env, SAUNTER_TOKEN: TOKEN, GAUGE: told };
    const crawl = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      await untilItAnswers();
      await pause(20_000); // the first addresses have been asked for
      const stood = async (): Promise<number> => {
        rmSync(told, { force: true });
        crawl.kill('SIGUSR2');
        while (!existsSync(told)) await pause(20);
        return (JSON.parse(readFileSync(told, 'utf8')) as { max: number }).max;
      };
      await stood();
      await pause(8_000);
      say(`unwatched, the loop stood still for at most ${(await stood()).toFixed(0)} ms`);
      const faults = await look(browser, say, stood);
      for (const fault of faults) say(`FAULT: ${fault}`);
      return faults.length === 0;
    } finally {
      await browser.close();
      crawl.kill('SIGKILL');
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function look(browser: Browser, say: (line: string) => void, stood: () => Promise<number>): Promise<string[]> {
  const faults: string[] = [];
  const hold = (what: string, ms: number, most: number): void => {
    say(`${what}: ${ms.toFixed(0)} ms`);
    if (!(ms < most)) faults.push(`${what} took ${ms.toFixed(0)} ms, and may take ${most}`);
  };
  const paints: number[] = [];
  const figures: number[] = [];
  let page: Page | null = null;
  for (let i = 0; i < 5; i++) {
    await page?.context().close();
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const begun = performance.now();
    await page.goto(`${HOME}#token=${TOKEN}`);
    await page.locator('.tile').first().waitFor();
    figures.push(performance.now() - begun);
    paints.push(
      await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`),
    );
  }
  hold('first paint, median of 5', median(paints), MOST.paint);
  hold('first figures, median of 5', median(figures), MOST.paint);
  hold('the longest pause of the loop for that', await stood(), MOST.pause);
  for (const path of tables()) {
    // what the browser does by itself, with the answer read whole
    const took = await page!.evaluate<number>(`(async () => {
      const begun = performance.now();
      const headers = { Authorization: 'Bearer ' + sessionStorage.getItem('saunter.token') };
      const response = await fetch(${JSON.stringify(path)}, { headers });
      if (!response.ok) throw new Error('answered ' + response.status);
      await response.json();
      return performance.now() - begun;
    })()`);
    hold(`${path} (the loop stood still for ${(await stood()).toFixed(0)} ms)`, took, MOST.table);
  }
  await page!.goto(`${HOME}#/hosts`);
  await page!.locator('table.list tbody tr').first().waitFor();
  for (const [column, sort] of [
    ['Host', 'name'],
    ['Requests', 'requests'],
    ['Failed', 'failures'],
  ]) {
    const begun = performance.now();
    const answered = page!.waitForResponse((response) => response.url().includes(`sort=${sort}`), { timeout: 10_000 });
    await page!.getByRole('button', { name: column, exact: true }).click();
    await (await answered).finished();
    await page!.evaluate('new Promise(requestAnimationFrame)');
    hold(`a click on ${column}, until its rows are painted`, performance.now() - begun, MOST.table);
  }
  hold('the longest pause of the loop for the tables', await stood(), MOST.pause);
  return faults;
}

/** Each sort, both ways, a search, the last page; then what else is listed. */
function tables(): string[] {
  const sorts = ['pending', 'name', 'requests', 'failures', 'bytes', 'recent'];
  return [
    ...sorts.flatMap((sort) => [`/hosts?sort=${sort}&order=asc`, `/hosts?sort=${sort}&order=desc`]),
    ...['/hosts?search=site99', '/hosts?search=nothing', `/hosts?sort=name&offset=${HOSTS - 50}`],
    ...['/hosts/www.site777.example', '/pages', '/dead-letters', '/crawl/blocklist', '/crawl/stats'],
  ];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];

async function untilItAnswers(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(`${HOME}healthz`).catch(() => null);
    if (response?.ok) return;
    await pause(100);
  }
  throw new Error('the crawl does not answer');
}
