/** What a crawl says when it begins: where it is kept, and what it goes on with. */
import type { CrawlOptions } from '../crawl-options.js';
import type { OpenedCrawl } from '../embedded/open.js';
import type { Attendant } from '../embedded/run.js';
import { counted } from '../units.js';
import type { Terminal } from './terminal.js';

/** Stands beside a crawl together with `also`. A terminal was told where the crawl is kept; others get one line, so that
 * whoever reads a log knows where to look.
 * @param opening gets the crawl */
export const announced =
  (
    { dir, config }: CrawlOptions,
    terminal: Pick<Terminal, 'live' | 'say' | 'error'>,
    opening: (opened: OpenedCrawl) => void,
    also: Attendant,
  ): Attendant =>
  async (opened) => {
    opening(opened);
    const attendant = await also(opened); // what it refuses ends the crawl with one sentence
    const on = goesOn(opened);
    if (terminal.live) for (const sentence of on) terminal.say(sentence);
    // with a log there, standard error has lines of JSON and nothing else
    else if (config['log.file'] !== '-')
      terminal.error([`Crawling into ${dir}; saunter status --dir ${dir} tells how it stands.`, ...on].join(' '));
    return attendant;
  };

/** What an earlier run left, and how it ended. */
function goesOn({ tally, frontier, resumes }: OpenedCrawl): string[] {
  if (resumes === null || tally.requests === 0) return [];
  const pending = frontier.urls.inState[0] + frontier.urls.inState[1] - frontier.revisits.overdue;
  const ended =
    resumes.stoppedAt === null
      ? 'the last run was killed'
      : `the last run stopped cleanly at ${new Date(resumes.stoppedAt).toISOString()}`;
  return [`It goes on: ${counted(tally.pages, 'page')} held, ${counted(pending, 'URL waits', 'URLs wait')}; ${ended}.`];
}
