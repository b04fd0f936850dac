/** The log and the traces of a crawl that runs, where the options ask for them; their modules are loaded only then. */
import type { CrawlOptions } from '../crawl-options.js';
import type { Attendant } from '../embedded/run.js';

/** Stands beside a crawl together with `also`.
 * @param say tells what cannot be logged any more
 * @throws UserError for a log that cannot be written */
export const observed =
  ({ config }: CrawlOptions, say: (sentence: string) => void, also: Attendant): Attendant =>
  async (opened) => {
    const others = [await also(opened)];
    const close = async (): Promise<void> => {
      for (const other of others) await other.close();
    };
    try {
      if (config['log.file'] !== null) {
        const { logTo } = await import('../serve/event-log.js');
        others.push(logTo(config['log.file'], config['log.level'], opened, say));
      }
      const endpoint = config['trace.endpoint'];
      if (endpoint !== null) {
        const { traceTo } = await import('../serve/traces.js');
        others.push(traceTo(endpoint, config['trace.share'], opened, say));
      }
      return { close };
    } catch (error) {
      await close();
      throw error;
    }
  };
