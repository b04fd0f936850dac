// The same, and bodies are given back before they are read.
import './spoilt-buffers.mjs';
import { bodyBuffers } from '../../dist/buffer-pool.js';
import { systemClock } from '../../dist/engines/system.js';
import { read } from '../../dist/workers/page-job.js';
import { runPageWorker } from '../../dist/workers/page-worker.js';

runPageWorker(systemClock, (job, held, parts) => {
  bodyBuffers.give(job.result.body);
  return read(job, held, parts);
});
