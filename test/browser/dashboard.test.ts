/** A tour of the dashboard in a real browser: what it shows, what it steers, and that strangers' words do nothing there. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { posted, type RunningCrawl, runningCrawl, TOKEN, until } from '../serve/running-crawl.js';
import { removeScratches } from '../support/saunter.js';

// The last four keep it from talking to anybody but us.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
FLAGS.push(
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = {
  ...{
    wide: { width: 1440, height: 900 },
    desktop: { width: 1280, height: 900 },
    tablet: { width: 820, height: 1180 },
  },
  ...{ phone: { width: 390, height: 844 }, small: { width: 360, height: 640 } },
};

let crawl: RunningCrawl;
let browser: Browser;
let context: BrowserContext;
/** What must stay empty: errors of the console, requests that went elsewhere. */
let errors: string[] = [];

beforeAll(async () => {
  [crawl, browser] = await Promise.all([
    runningCrawl(),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }),
  ]);
}, 60_000);
afterEach(() => context?.close());
afterAll(async () => {
  await browser?.close();
  await crawl?.stop();
  removeScratches();
});

/** Opens the dashboard with its token. */
async function open(size: keyof typeof SIZES, hash = `#token=${TOKEN}`): Promise<Page> {
  errors = [];
  context = await browser.newContext({ viewport: SIZES[size] });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => request.url().startsWith(crawl.url) || errors.push(`asked ${request.url()}`));
  await page.goto(`${crawl.url}/${hash}`);
  return page;
}

/** Serious faults of accessibility on the page as it is. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** What a page shows a moment later. */
const SOON = { timeout: 5_000 };

const go = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name: view }).click();

test('at every width all views are in sight, nothing is cut off, and no card stands alone in a row', async () => {
  const page = await open('wide');
  await page.locator('.grid .card').first().waitFor();
  for (const size of Object.values(SIZES)) {
    await page.setViewportSize(size);
    // charts are fitted a moment after the window
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), SOON).toBe(true);
    const ends = await page
      .locator('nav a')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
    expect(ends.filter((end) => end > size.width)).toEqual([]);
    const tops = await page
      .locator('.grid > .card:not(.wide)')
      .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().top)));
    const rows = [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
    expect(new Set(rows).size, `at ${size.width}, cards in rows: ${rows}`).toBe(1);
  }
}, 60_000);

test.each(['desktop', 'phone'] as const)(
  'the tour: figures, a host and its block, seeds, dead letters (%s)',
  async (size) => {
    const page = await open(size);
    // the token is out of the address
    await page.getByText('Pages per second').first().waitFor();
    expect(page.url()).toBe(`${crawl.url}/`);
    expect(await page.locator('.pill').textContent()).toBe('Running');
    const pages = page.locator('.tile', { hasText: 'Pages' }).first().locator('dd').first();
    const before = await pages.textContent();
    await until(async () => (await pages.textContent()) !== before);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), SOON).toBe(true);
    expect(await violations(page)).toEqual([]);

    await go(page, 'Hosts');
    await page.getByRole('searchbox').fill('well');
    await page.getByRole('link', { name: 'well.test' }).click();
    await page.getByRole('heading', { name: 'well.test' }).waitFor();
    await page.getByText('Last requests').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Block…' }).click();
    await page.getByLabel('Reason').fill('its owner asked');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('well.test is blocked.').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 300)); // one in flight may end
    const asked = crawl.site.asked('well.test').length;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(crawl.site.asked('well.test').length).toBe(asked);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => crawl.site.asked('well.test').length > asked);

    const titles = { host: 'titles.test', reason: 'a pause' };
    await crawl.ask('/crawl/blocklist', posted(titles));
    await go(page, 'Blocked');
    await page.getByRole('row', { name: /titles\.test .* a pause/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unblock titles.test' }).click();
    await page.getByText('titles.test is fetched again.').waitFor();
    await page.getByText('No host is blocked.').waitFor();

    await go(page, 'Seeds');
    const late = crawl.site.url('late.test', size === 'phone' ? '/?phone' : '/');
    await page.getByLabel('URLs, one on a line').fill(`${late}\nnonsense`);
    await page.getByRole('button', { name: 'Add 2' }).click();
    await page.getByText('1 admitted, 0 known already, 1 refused').waitFor();
    await until(() => crawl.site.asked('late.test').some((target) => late.endsWith(target)));
    expect(await violations(page)).toEqual([]);

    await go(page, 'Dead letters');
    const again = page.getByRole('button', { name: /^Try again: .*gone\.test/ });
    await again.waitFor({ timeout: 15_000 });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /^Drop: .*gone\.test/ }).click();
    await page.getByText('1 letter is dropped.').waitFor();
    await expect.poll(() => again.count(), SOON).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    const tries = crawl.site.asked('gone.test').length;
    await again.click();
    await until(() => crawl.site.asked('gone.test').length > tries);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await until(async () => (await page.locator('.pill').textContent()) === 'Running');
    expect(errors).toEqual([]);
  },
  60_000,
);

test('titles with markup, escapes or a megabyte show as text and do nothing', async () => {
  const page = await open('desktop');
  // both stand among the last pages for a while: they are asked for again
  await crawl.ask(
    '/crawl/seeds',
    posted({ urls: [crawl.site.url('titles.test', '/long'), crawl.site.url('titles.test', '/again')] }),
  );
  await go(page, 'Pages');
  await page.getByText('<script>window.broken = true</script>').first().waitFor();
  expect(await page.evaluate('window.broken')).toBeUndefined();
  const text = (await page.locator('table.list').textContent()) ?? '';
  expect(text).not.toMatch(/[\x1b\u202e]/);
  expect(text.length).toBeLessThan(50_000);
  expect(await violations(page)).toEqual([]);
  await page
    .getByRole('button', { name: /^Show text of/ })
    .first()
    .click();
  await page.locator('article pre').waitFor();
  expect(errors).toEqual([]);
}, 30_000);

test('without the token there is a question for it, and nothing of the crawl', async () => {
  const page = await open('phone', '');
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByLabel('Token').fill(TOKEN);
  expect(await page.locator('.tile').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.locator('.tile').first().waitFor();
}, 30_000);

test('the keyboard reaches everything: skip link, views, sorting', async () => {
  const page = await open('desktop');
  await page.locator('.tile').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.goto(`${crawl.url}/#/hosts`);
  const sort = page.getByRole('button', { name: 'Host', exact: true });
  await sort.focus();
  await page.keyboard.press('Enter');
  await page.locator('th[aria-sort="ascending"]').waitFor();
}, 30_000);
