// A page worker's thread that makes no request: what becomes of an order is in its target. Reports say in `status` how many
// orders the thread has at that moment, and in `bytes` which thread it is.
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { systemClock } from '../../dist/engines/system.js';
import { SharedState } from '../../dist/workers/messages.js';

/** @typedef {{ lease: number, target: string }} Order */

const { index, shared: buffer, ownBodies, heartbeat, archive, agent } = workerData;
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
if (agent === 'stillborn' && index === 1) process.exit(9);

const shared = new SharedState(buffer);
const beat = () => shared.beat(index, systemClock.monotonic());
setTimeout(beat, 2);
setInterval(beat, heartbeat);

/** @type {Set<number>} */
const orders = new Set();
const LINKS = () => ({ words: new Uint32Array(0), text: new Uint8Array(0) });
/** @type {(lease: number, code: string) => void} */
const report = (lease, code) => {
  const batch = { reports: [{ lease, code, status: orders.size, bytes: threadId }], links: LINKS() };
  orders.delete(lease);
  port.postMessage({ type: 'reports', batch });
};

/** @param {Order} order */
function work({ lease, target }) {
  orders.add(lease);
  const { pathname } = new URL(target);
  if (pathname === '/slow') return;
  if (pathname === '/ok') setTimeout(() => report(lease, 'ok'), 20);
  if (pathname === '/unnoted') setTimeout(() => process.exit(7), 20);
  if (pathname !== '/crash' && pathname !== '/hang') return;
  setTimeout(() => {
    shared.addBodies(1_000);
    Atomics.add(new Int32Array(ownBodies), 0, 1_000);
    shared.setParsing(index, lease);
    if (pathname === '/crash') throw new TypeError('poison');
    for (;;);
  }, 20);
}

port.on('message', (message) => {
  if (message.type === 'work') for (const order of message.orders) work(order);
  if (message.type === 'abort') for (const lease of [...orders]) report(lease, 'lease.returned');
  if (message.type !== 'close') return;
  port.postMessage({ type: 'segments', closed: [{ name: archive.prefix, length: 1 }] });
  port.postMessage({ type: 'closed' });
});
