// Loaded before the program by `crawl-run.ts` (`node --import`), in every thread: writes down each half second how late
// the thread's timers have come so far, in a histogram of Node's. LOOP_WATCH is the file that gets a JSON line each time.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, threadId } from 'node:worker_threads';

/** ms between two looks: what Node's histogram holds is this and the delay together. */
const RESOLUTION = 10;
const file = process.env.LOOP_WATCH;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  setInterval(() => {
    const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION);
    const line = { main: isMainThread, thread: threadId, p99: late(delay.percentile(99)), most: late(delay.max) };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, 500).unref();
}
