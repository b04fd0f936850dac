// A page worker's thread whose buffers are spoilt when they are given back.
import './spoilt-buffers.mjs';
import { systemClock } from '../../dist/engines/system.js';
import { runPageWorker } from '../../dist/workers/page-worker.js';

runPageWorker(systemClock);
