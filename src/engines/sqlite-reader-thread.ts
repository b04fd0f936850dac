/**
 * The store's second thread (started by sqlite-second-thread.ts): look-ups by id and checkpoints of the write-ahead
 * log, so that the main thread waits for neither. Its connection never changes a row.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../errors.js';
import { explain, openDatabase } from './database.js';
import { Lookups } from './sqlite-reads.js';
import type { Answer, Question, ThreadData } from './sqlite-second-thread.js';

const { path, closed } = workerData as ThreadData;
const port = parentPort!;
const db = openDatabase(path, { timeout: 5_000 });
// Forbids changes, not checkpoints.
db.exec('PRAGMA query_only = 1; PRAGMA synchronous = FULL');
const lookups = new Lookups(db);
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

function answer({ question, ids, visits }: Question): unknown {
  switch (question) {
    case 'urls':
      return lookups.urls(ids, visits);
    case 'visits':
      return lookups.visits(ids);
    case 'robots':
      return lookups.robots(ids);
    case 'checkpoint':
      return { ...(checkpoint.get() as object) };
  }
}

port.on('message', (question: Question | 'close') => {
  if (question === 'close') {
    db.close();
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
    port.close();
    return;
  }
  let reply: Answer;
  try {
    reply = { n: question.n, value: answer(question) };
  } catch (error) {
    const told = explain(error, path, 'read') as Error;
    reply = { n: question.n, error: told.message, user: told instanceof UserError, range: told instanceof RangeError };
  }
  port.postMessage(reply);
});
