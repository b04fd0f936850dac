/** The file that a thread of `saunter reparse` starts from. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ReparseThreadData } from '../corpus/reparse-pool.js';
import { runReparseThread } from '../corpus/reparse-worker.js';
import { systemClock } from '../engines/system.js';
import { DocumentReader, type DocumentSettings } from '../workers/document-reader.js';

const data = workerData as ReparseThreadData;
const settings = data.documents as DocumentSettings;
const documents = new DocumentReader(settings);
const handled = settings.handlers.map(({ mediaType }) => mediaType);
runReparseThread(parentPort!, data, { clock: systemClock, handled, documents });
