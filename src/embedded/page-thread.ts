/** The file that a page worker's thread starts from. */
import { systemClock } from '../engines/system.js';
import { runPageWorker } from '../workers/page-worker.js';

runPageWorker(systemClock);
