/** A crawl that runs in a process of its own with its API on, for the tests of the API and the dashboard. */
import { createServer } from 'node:net';
import { pinnedAddress } from '../../src/fetch/pins.js';
import { configFile, type Running, scratch, start } from '../support/saunter.js';
import { links, type Site, Sites } from '../support/sites.js';

export const TOKEN = 'a-token-for-tests-0123456789';

/** What a hostile title looks like in a list. */
export const HOSTILE_TITLE = '<script>window.broken = true</script>\x1b[31m\u202eevil';

/** A text that is like no other page's. */
const prose = (n: number): string =>
  Array.from({ length: 80 }, (_, i) => `${((n + 1) * 7919 * (i + 3)).toString(36)} flows`).join(' ');

/** Pages without end on `well.test`; a few hosts beside it; `late.test` is not linked from anywhere. */
const HOSTS: Record<string, Site> = {
  'well.test': (target) => {
    const n = Number(/^\/(\d*)$/.exec(target)?.[1] ?? -1);
    return n < 0
      ? undefined
      : `${links(`/${n + 1}`, site.url('titles.test'), site.url('gone.test', '/nothing'))}<p>Water ${n} ${prose(n)}`;
  },
  'titles.test': (target) =>
    target === '/robots.txt'
      ? undefined
      : `<title>${HOSTILE_TITLE.replaceAll('<', '&lt;')}${'x'.repeat(target === '/' ? 10 : 1_000_000)}</title><p>${'A text. '.repeat(40)}<a href=/long>long</a>`,
  'gone.test': (target) => (target === '/robots.txt' ? undefined : { status: 500 }),
  'late.test': (target) => (target === '/' ? '<title>late</title><p>Here at last.' : undefined),
};

let site: Sites;

export interface RunningCrawl {
  readonly site: Sites;
  readonly dir: string;
  readonly url: string;
  readonly running: Running;
  /** Asks with the token. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  json<T>(path: string, init?: RequestInit): Promise<T>;
  stop(): Promise<void>;
}

/** Starts it and waits until it answers. The retry ladder is shortened, so that there are dead letters soon. */
export async function runningCrawl(delay = '100ms'): Promise<RunningCrawl> {
  site = await Sites.start(
    HOSTS,
    Object.keys(HOSTS).map((host) => pinnedAddress(host, '127.83.0.0/16')),
  );
  const dir = scratch();
  const port = await freePort();
  const config = configFile({ 'retry.ladder': ['20ms'], 'politeness.factor': 0 });
  const flags = [
    '--dir',
    dir,
    '--delay',
    delay,
    '--scope',
    'any',
    '--allow-private',
    '127.0.0.0/8',
    '--config',
    config,
  ];
  flags.push(
    '--resolve',
    '*.test=127.83.0.0/16',
    '--patience',
    '60s',
    '--workers',
    '1',
    '--max-depth',
    '10000',
    '--admin',
    String(port),
  );
  const running = start(['crawl', site.url('well.test'), ...flags], { env: { ...process.env, SAUNTER_TOKEN: TOKEN } });
  const url = `http://127.0.0.1:${port}`;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, { ...init, headers: { Authorization: `Bearer ${TOKEN}`, ...init.headers } });
  await until(async () => (await ask('/healthz').catch(() => null))?.ok === true);
  return {
    ...{ site, dir, url, running, ask },
    json: async <T>(path: string, init?: RequestInit) => (await ask(path, init)).json() as Promise<T>,
    stop: async () => {
      running.child.kill('SIGKILL');
      await running.over;
      await site.stop();
    },
  };
}

/** Sends JSON. */
export const posted = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Waits until something is true; fails after 15 s. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not come true: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
