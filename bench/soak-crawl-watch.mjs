// Loaded before the program by `soak-crawl.ts` (`node --import`), in every thread: writes down each second how long the
// thread's loop stood still, and lets page workers crash.
//   SOAK_WATCH  a file that gets a JSON line a second
//   SOAK_CRASH  one page worker in so many ms ends itself, by an exception or by leaving; 0 for none
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isMainThread, threadId, workerData } from 'node:worker_threads';

const [file, crash] = [process.env.SOAK_WATCH, Number(process.env.SOAK_CRASH ?? 0)];

/** Milliseconds that this thread was ready and had no core: the machine's doing, not the program's. */
const starved = () => {
  const [, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(waited) / 1e6;
};

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let before = starved();
  setInterval(() => {
    const now = starved();
    const { heapUsed, external, rss } = process.memoryUsage();
    const line = {
      ...{ pid: process.pid, thread: threadId, main: isMainThread, at: performance.timeOrigin + performance.now() },
      ...{ stood: delay.max / 1e6, starved: now - before, memory: heapUsed + external, rss },
      files: isMainThread ? readdirSync('/proc/self/fd').length : 0,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    before = now;
    delay.reset();
  }, 1000).unref();
}

/** Page workers are the threads that hold the secret of the keys. */
if (!isMainThread && crash > 0 && workerData?.secret !== undefined) {
  setTimeout(
    () => {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify({ crash: true, thread: threadId })}\n`);
      if (Math.random() < 0.5) process.exit(7);
      throw new TypeError('a crash that the soak wanted');
    },
    crash * (0.5 + Math.random()),
  ).unref();
}
