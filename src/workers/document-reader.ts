/**
 * Reads documents of heavy types (PDF, and what a user registered) in a thread of its own, one at a time, under caps of
 * time and memory: what crashes, hangs or swells there costs one page, and the thread is started anew.
 */
import { Worker } from 'node:worker_threads';
import type { DocumentAnswer, HandledDocument } from '../parse/documents.js';
import type { HandlerModule } from './user-handlers.js';

export interface DocumentSettings {
  /** In the place of, or beside, the reader of PDF. */
  handlers: readonly HandlerModule[];
  /** Pages of a PDF that are read. */
  pdfPages: number;
  /** ms for one document. */
  time: number;
  /** Bytes that the thread's heap may take, and that the process may grow by while one document is read. */
  memory: number;
}

export interface DocumentQuestion {
  mediaType: string;
  document: HandledDocument;
}

interface Waiting extends DocumentQuestion {
  resolve: (answer: DocumentAnswer) => void;
}

const MIB = 1024 * 1024;
/** ms between two looks at the memory of a document at work. */
const WATCH = 100;

export class DocumentReader {
  readonly #settings: DocumentSettings;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;
  #thread: Worker | null = null;
  #watch: NodeJS.Timeout | null = null;
  #isCancelled = false;

  constructor(settings: DocumentSettings) {
    this.#settings = settings;
  }

  /** Never rejects. The caller bounds how much waits: the bodies in flight have one budget. */
  read(mediaType: string, document: HandledDocument): Promise<DocumentAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push({ mediaType, document, resolve });
      this.#next();
    });
  }

  /** Everything that waits, and all that comes, is answered with a failure at once. */
  cancel(): void {
    this.#isCancelled = true;
    this.#end({ failure: 'the crawl was stopped' }, true);
  }

  async close(): Promise<void> {
    this.cancel();
    await this.#thread?.terminate();
  }

  #next(): void {
    while (this.#current === null && this.#waiting.length > 0) {
      const next = this.#waiting.shift()!;
      if (this.#isCancelled) {
        next.resolve({ failure: 'the crawl was stopped' });
        continue;
      }
      this.#current = next;
      this.#thread ??= this.#start();
      const { mediaType, document } = next;
      this.#thread.postMessage({ mediaType, document } satisfies DocumentQuestion);
      this.#watchOver();
    }
  }

  #start(): Worker {
    const { memory } = this.#settings;
    const thread = new Worker(new URL('./document-thread.js', import.meta.url), {
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory / MIB), maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      // what PDF.js or a handler says is not for our user's terminal
      ...{ stdout: true, stderr: true },
    });
    for (const output of [thread.stdout, thread.stderr]) output.resume();
    const died = (why: string): void => {
      if (this.#thread !== thread) return;
      this.#end({ failure: why }, true);
    };
    thread.on('message', (answer: DocumentAnswer) => {
      if (this.#thread === thread) this.#end(answer, false);
    });
    thread.on('error', (error: NodeJS.ErrnoException) =>
      died(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'its reader ran out of memory'
          : `its reader crashed: ${error.message}`,
      ),
    );
    thread.on('exit', () => died('its reader ended'));
    thread.unref();
    return thread;
  }

  /** Time is up, or memory: memory outside of the heap (buffers) is not in the limits of a thread, so the growth of the
   * whole process is looked at. */
  #watchOver(): void {
    const { time, memory } = this.#settings;
    const begun = performance.now();
    const before = process.memoryUsage.rss();
    this.#watch = setInterval(
      () => {
        if (performance.now() - begun > time)
          this.#end({ failure: `its reader needed more than ${time / 1000} s` }, true);
        else if (process.memoryUsage.rss() - before > 2 * memory)
          this.#end({ failure: 'its reader took too much memory' }, true);
      },
      Math.min(WATCH, time),
    );
  }

  #end(answer: DocumentAnswer, restart: boolean): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
    if (restart) {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.terminate();
    }
    const current = this.#current;
    this.#current = null;
    current?.resolve(answer);
    this.#next();
  }
}
