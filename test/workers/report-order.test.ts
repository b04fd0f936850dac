import { EventEmitter, once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dedupeSettings, documentSettings, fetchSettings } from '../../src/embedded/parts.js';
import { systemClock } from '../../src/engines/system.js';
import type { LeaseReport } from '../../src/frontier/report.js';
import { loadConfig } from '../../src/load-config.js';
import { DEFAULT_KEY_OPTIONS } from '../../src/url/normalize.js';
import { type FromWorker, SharedState, type WorkOrder } from '../../src/workers/messages.js';
import { PageWorker } from '../../src/workers/page-worker.js';
import { removeScratches, scratch } from '../support/saunter.js';
import { Sites } from '../support/sites.js';

let site: Sites;
beforeAll(async () => {
  const prose = (n: number) => Array.from({ length: 60 }, (_, i) => `word${n}${i * 7919}`).join(' ');
  site = await Sites.start({ '*': (target) => (target === '/missing' ? undefined : `<p>${prose(target.length)}</p>`) });
});
afterAll(async () => {
  await site.stop();
  removeScratches();
});

const order = (lease: number, target: string): WorkOrder => ({
  ...{ lease, kind: 'page', target: site.url('127.0.0.1', target), connectTo: '127.0.0.1', held: null, cookie: null },
});

test('reports come in the order of their records, whoever is answered first: what is committed is a beginning', async () => {
  const dir = scratch();
  for (const folder of ['w', 't']) mkdirSync(join(dir, folder));
  const config = loadConfig();
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
      if (message.type === 'reports') reports.push(...message.batch.reports);
      messages.emit(message.type);
      if (message.type === 'fatal') throw new Error(message.message);
      if (message.type !== 'held?') return;
      const answers = message.questions.map(({ lease }) => ({ lease, held: 'new' as const }));
      worker.receive({ type: 'held', answers });
    },
  );
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
