// Loaded before the program by `crawl-run.ts` (`node --import`), in every thread: takes each 10 ms how late the thread's timer
// came, and how long of that the thread was ready and had no core, which is the machine's doing and not the program's.
// LOOP_WATCH is the file that gets a JSON line with what was found so far, each half second.
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import { createHistogram, performance } from 'node:perf_hooks';
import { isMainThread, threadId } from 'node:worker_threads';

const EVERY = 10;
const file = process.env.LOOP_WATCH;

/** ms for which this thread has waited for a core; 0 where Linux does not tell. */
function starvation() {
  const bytes = Buffer.alloc(64);
  let schedstat;
  try {
    schedstat = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return { read: () => 0, close() {} };
  }
  return {
    read: () => Number(bytes.latin1Slice(0, readSync(schedstat, bytes, 0, 64, 0)).split(' ')[1]) / 1e6,
    close: () => closeSync(schedstat),
  };
}

if (file !== undefined) {
  const starved = starvation();
  // in us, since it holds whole numbers from 1 on
  const [late, own] = [createHistogram(), createHistogram()];
  const take = (histogram, ms) => histogram.record(Math.max(1, Math.round(ms * 1000)));
  let [last, waited] = [performance.now(), starved.read()];
  setInterval(() => {
    const [now, waits] = [performance.now(), starved.read()];
    const delay = now - last - EVERY;
    take(late, delay);
    take(own, delay - (waits - waited));
    [last, waited] = [now, waits];
  }, EVERY).unref();
  const figures = (histogram) => ({ p99: histogram.percentile(99) / 1000, most: histogram.max / 1000 });
  setInterval(() => {
    const line = { main: isMainThread, thread: threadId, late: figures(late), own: figures(own) };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, 500).unref();
  process.on('exit', () => starved.close());
}
