/** The file that a page worker's thread starts from. */
import { runPageWorker } from './page-worker.js';

runPageWorker();
