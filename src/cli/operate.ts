/** From the command line to a crawl, running or stopped: `block`, `unblock` and `retry`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlUi } from '../crawl-options.js';
import { type OperatorAnswer, type OperatorRequest, operate, readRequest } from '../embedded/operate.js';
import type { Attendant } from '../embedded/run.js';
import { DirectoryInUse, type Holder } from '../engines/lock.js';
import { UserError } from '../errors.js';
import { askCrawl } from '../serve/control-client.js';
import { serveControl } from '../serve/control-socket.js';

/** A crawl that starts or stops holds its directory without listening: how long it is asked again, and how often. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** Those who hold a directory and never listen, and what can be done. */
const DEAF: Readonly<Partial<Record<Holder, string>>> = {
  program: 'is run by a program (createCrawler): only that program can ask it (crawler.operate), or stop it first.',
  import: 'is being imported into: try again when that is over.',
  reparse: 'is being read again (saunter reparse): try again when that is over.',
};

/**
 * Does what is asked: through the control socket of the crawl that runs in `dir`, or else on its store.
 * @throws UserError
 */
export async function operateOn(dir: string, request: OperatorRequest): Promise<OperatorAnswer> {
  const { operateStopped } = await import('../embedded/operate-stopped.js');
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await askCrawl(dir, request);
    if (answer !== null) return answer as OperatorAnswer;
    try {
      return await operateStopped(dir, request);
    } catch (error) {
      if (!(error instanceof DirectoryInUse)) throw error;
      const deaf = DEAF[error.holder ?? 'crawl'];
      if (deaf !== undefined) throw new UserError(`The crawl in ${dir} ${deaf}`);
      if (performance.now() >= end)
        throw new UserError(`The crawl in ${dir} starts or stops, and does not listen: try again in a moment.`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Lets a running crawl be told things. Without sockets it runs all the same. */
export const listening =
  (dir: string, ui: Pick<CrawlUi, 'say'>): Attendant =>
  async (opened) => {
    try {
      return await serveControl(dir, async (request) => operate(opened, readRequest(request)));
    } catch (error) {
      ui.say(`This crawl cannot be told anything while it runs: ${(error as Error).message}`);
      return { close: async () => {} };
    }
  };
