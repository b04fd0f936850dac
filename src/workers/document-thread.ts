/** The thread that reads documents for one page worker: see `document-reader.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DocumentAnswer, DocumentRegistry } from '../parse/documents.js';
import type { DocumentQuestion, DocumentSettings } from './document-reader.js';
import { pdfHandler } from './pdf.js';
import { lazyHandler } from './user-handlers.js';

const { handlers, pdfPages } = workerData as DocumentSettings;
const port = parentPort!;
const registry = new DocumentRegistry().handle('application/pdf', pdfHandler(pdfPages));
for (const handler of handlers) registry.handle(handler.mediaType, lazyHandler(handler));

port.on('message', async ({ mediaType, document }: DocumentQuestion) => {
  let answer: DocumentAnswer;
  try {
    answer = { answer: await registry.read(mediaType, document) };
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
});
