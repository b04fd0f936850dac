/** Server-sent events: what happens in a crawl, as it is committed. Bounded: a reader that does not keep up misses events,
 * never the crawl its memory. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Steering } from '../embedded/steering.js';

/** ms between two events of the figures. */
const EVERY = 1_000;
/** Readers at once; requests told of in one event. */
const MOST_READERS = 16;
const MOST_TOLD = 50;

export class EventStreams {
  readonly #steering: Steering;
  #readers = 0;

  constructor(steering: Steering) {
    this.#steering = steering;
  }

  stream(c: Context): Response {
    if (this.#readers >= MOST_READERS) {
      const detail = `${MOST_READERS} readers listen already: close one of them.`;
      return c.json({ type: 'about:blank', title: 'Too many readers', status: 503, detail }, 503);
    }
    return streamSSE(c, async (stream) => {
      this.#readers++;
      let requests: unknown[] = [];
      const unlisten = this.#steering.watch.listen((rows) => {
        for (const { target, status, code, kind, ended, bytes } of rows.requests) {
          if (requests.length < MOST_TOLD) requests.push({ url: target, status, code, kind, ended, bytes });
        }
      });
      try {
        while (!stream.aborted && !stream.closed) {
          await stream.writeSSE({ event: 'stats', data: JSON.stringify(this.#steering.stats()) });
          if (requests.length > 0) await stream.writeSSE({ event: 'requests', data: JSON.stringify(requests) });
          requests = [];
          await stream.sleep(EVERY);
        }
      } finally {
        unlisten();
        this.#readers--;
      }
    });
  }
}
