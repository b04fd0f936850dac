import { EventEmitter, once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { dedupeSettings, documentSettings, fetchSettings } from '../../src/embedded/parts.js';
import { systemClock } from '../../src/engines/system.js';
import type { LeaseReport, ReportBatch } from '../../src/frontier/report.js';
import { DEFAULT_KEY_OPTIONS } from '../../src/url/normalize.js';
import { type FromWorker, SharedState, type WorkOrder } from '../../src/workers/messages.js';
import { PageWorker } from '../../src/workers/page-worker.js';
import { removeScratches, scratch } from '../support/saunter.js';
import { Sites } from '../support/sites.js';

let site: Sites;
beforeAll(async () => {
  const prose = (n: number) => Array.from({ length: 60 }, (_, i) => `word${n}${i * 7919}`).join(' ');
  const entries = () => [1, 2, 3].map((n) => `<url><loc>${site.url('127.0.0.1', `/named-${n}`)}</loc></url>`).join('');
  site = await Sites.start({
    '*': (target) => {
      if (target === '/missing') return undefined;
      if (target !== '/sitemap.xml') return `<p>${prose(target.length)}</p>`;
      return { headers: { 'Content-Type': 'application/xml' }, body: `<urlset>${entries()}</urlset>` };
    },
  });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const order = (lease: number, target: string): WorkOrder => ({
  ...{ lease, kind: 'page', target: site.url('127.0.0.1', target), connectTo: '127.0.0.1', held: null, cookie: null },
});

/** A page worker in this thread; its questions about equal content are answered at once, those about likeness are not. */
function startWorker() {
  const dir = scratch();
  for (const folder of ['w', 't']) mkdirSync(join(dir, folder));
  const config = loadConfig();
  const batches: ReportBatch[] = [];
  const reports: LeaseReport[] = [];
  const messages = new EventEmitter();
  const worker = new PageWorker(
    {
      ...{ index: 0, secret: new Uint8Array(16), keyOptions: DEFAULT_KEY_OPTIONS, agent: 'Saunter', turn: 8 },
      ...{
        scope: { rules: [], fallback: 'accept' },
        traps: {},
        ownBodies: new SharedArrayBuffer(4),
        shared: new SharedState(1).buffer,
        heartbeat: 1000,
      },
      fetch: fetchSettings({ config, userAgent: 'Saunter/test' }),
      archive: {
        warc: join(dir, 'w'),
        text: join(dir, 't'),
        prefix: 'x',
        maxBytes: 1e9,
        info: { software: 'Saunter' },
      },
      ...{ dedupe: dedupeSettings(config), documents: documentSettings(config), bodyBudget: 1e8 },
    },
    systemClock,
    (message: FromWorker) => {
      if (message.type === 'reports') {
        batches.push(message.batch);
        reports.push(...message.batch.reports);
      }
      messages.emit(message.type);
      if (message.type === 'fatal') throw new Error(message.message);
      if (message.type !== 'held?') return;
      const answers = message.questions.map(({ lease }) => ({ lease, held: 'new' as const }));
      worker.receive({ type: 'held', answers });
    },
  );
  return { worker, reports, batches, messages };
}

test('reports come in the order of their records, whoever is answered first: what is committed is a beginning', async () => {
  const { worker, reports, messages } = startWorker();
  const wasAsked = once(messages, 'near?');
  worker.receive({ type: 'work', orders: [order(1, '/page')] });
  await wasAsked;
  worker.receive({ type: 'work', orders: [order(2, '/missing')] });
  while (site.log.every(({ target, ended }) => target !== '/missing' || Number.isNaN(ended))) await sleep(5);
  await sleep(200); // time in which the answer that asks for nothing could overtake
  worker.receive({ type: 'near', answers: [{ lease: 1, of: -1 }] });
  while (reports.length < 2) await sleep(5);
  expect(reports.map(({ lease }) => lease)).toEqual([1, 2]);
  const [first, second] = reports.map(({ record }) => record!);
  expect(second.offset).toBeGreaterThanOrEqual(first.offset + first.length);
  const isClosed = once(messages, 'closed');
  worker.receive({ type: 'close' });
  await isClosed;
});

test('the links of a sitemap that waited for its turn are in the batch that reports it', async () => {
  const { worker, reports, batches, messages } = startWorker();
  const ask = async (work: WorkOrder) => {
    const asked = once(messages, 'near?');
    worker.receive({ type: 'work', orders: [work] });
    await asked;
  };
  await ask(order(1, '/one'));
  await ask(order(2, '/other'));
  worker.receive({ type: 'work', orders: [{ ...order(3, '/sitemap.xml'), kind: 'sitemap' }] });
  while (site.log.every(({ target, ended }) => target !== '/sitemap.xml' || Number.isNaN(ended))) await sleep(5);
  await sleep(200); // it is read, and waits behind the second page
  worker.receive({ type: 'near', answers: [{ lease: 1, of: -1 }] });
  while (reports.length < 1) await sleep(5);
  worker.receive({ type: 'near', answers: [{ lease: 2, of: -1 }] });
  while (reports.length < 3) await sleep(5);
  const { reports: last, links } = batches.at(-1)!;
  const sitemap = last.find(({ lease }) => lease === 3)!;
  expect([sitemap.to - sitemap.from, links.words.length >= 4 * sitemap.to]).toEqual([3, true]);
  expect(Buffer.from(links.text).toString()).toContain(site.url('127.0.0.1', '/named-3'));
  const isClosed = once(messages, 'closed');
  worker.receive({ type: 'close' });
  await isClosed;
});
