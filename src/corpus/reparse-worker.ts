/** What a thread of the reparse pool does: reads one order after another, and keeps the texts in a segment of its own. */
import type { MessagePort } from 'node:worker_threads';
import { SegmentWriter } from '../archive/segments.js';
import type { Clock } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { HeavyTypes } from '../parse/stage.js';
import { ArchiveReader } from './archive-reader.js';
import type { FromReparseThread, ReparseThreadData, ToReparseThread } from './reparse-pool.js';
import { type ReparseParts, type ReparseResult, reparse } from './reparse-stage.js';

export interface ReparseThreadParts {
  clock: Pick<Clock, 'wall'>;
  /** Types with a handler of the user's. */
  handled: readonly string[];
  documents: ReparseParts['documents'];
}

/** Serves the port until it is told to close. */
export function runReparseThread(port: MessagePort, data: ReparseThreadData, parts: ReparseThreadParts): void {
  const atWork = new Int32Array(data.atWork);
  const text = new SegmentWriter({ ...data.text, kind: 'text', clock: parts.clock });
  const stage: ReparseParts = {
    ...{ text, caps: data.caps, agent: data.agent, shingles: data.shingles, documents: parts.documents },
    archive: new ArchiveReader(new Map(data.paths), true),
    heavy: new HeavyTypes(parts.handled),
  };
  const post = (message: FromReparseThread): void => port.postMessage(message);
  const answer = async (message: ToReparseThread): Promise<void> => {
    if (message.type === 'close') {
      text.close();
      stage.archive.close();
      post({ type: 'closed', closed: text.takeClosed() });
      return;
    }
    const results: ReparseResult[] = [];
    for (const [i, order] of message.orders.entries()) {
      Atomics.store(atWork, 0, i + 1);
      results.push(await reparse(order, stage));
    }
    Atomics.store(atWork, 0, 0);
    // what is reported must survive our death
    text.flush();
    post({ type: 'results', results, closed: text.takeClosed() });
  };
  port.on('message', (message: ToReparseThread) => {
    answer(message).catch((error) => {
      // the archive cannot be read or written; anything else is a fault of the page, and this thread dies of it
      if (!(error instanceof UserError)) {
        setImmediate(() => {
          throw error;
        });
        return;
      }
      Atomics.store(atWork, 0, 0);
      post({ type: 'fatal', message: error.message });
    });
  });
}
