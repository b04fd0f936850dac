// A page worker's thread in which pages are poisonous: `/crash` throws, `/exit` ends the thread, `/hang` never comes
// back; all after their body has been archived.
import { systemClock } from '../../dist/engines/system.js';
import { read } from '../../dist/workers/page-job.js';
import { runPageWorker } from '../../dist/workers/page-worker.js';

runPageWorker(systemClock, (job, held, parts) => {
  const done = read(job, held, parts);
  const { pathname } = new URL(job.order.target);
  if (pathname === '/crash') throw new TypeError('poison');
  if (pathname === '/exit') process.exit(7);
  if (pathname === '/hang') for (;;);
  return done;
});
