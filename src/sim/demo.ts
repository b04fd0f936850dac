/**
 * `saunter demo` without its command line: the web that is crawled, and the report at the end, in words and figures.
 */
import { join } from 'node:path';
import type { GapReport, ServerLogSummary } from './server-log.js';
import { ServerProcess, type ServerProcessOptions } from './server-process.js';

/** A running demo web. Crawl it with `--scope any --resolve <resolve> --allow-private 127.0.0.0/8`. */
export interface DemoWeb {
  readonly seeds: string[];
  /** The value of `--resolve`. */
  readonly resolve: string;
  /** Hosts that the web has, for the words at the start. */
  readonly hosts: number;
  /** Ends the server; what its own log says. */
  stop(): Promise<ServerLogSummary>;
}

/** Starts the demo's web on loopback, in a process of its own.
 * @param options only for tests: another program */
export async function startDemoWeb(options: Partial<ServerProcessOptions> = {}): Promise<DemoWeb> {
  const server = await ServerProcess.start({ web: 'demo', ...options });
  const { seeds, resolve, hosts } = server.ready;
  return {
    seeds: [...seeds],
    resolve,
    hosts,
    stop: async () => {
      const summary = await server.ask('summary', {});
      await server.stop();
      return summary;
    },
  };
}

/** What the report needs of the crawl's `--json` summary (DESIGN section 11). */
export interface DemoCrawlSummary {
  readonly pages: number;
  readonly requests: number;
  readonly bytes: number;
  readonly duplicates: number;
  readonly nearDuplicates: number;
  readonly hosts: number;
  readonly known: number;
  readonly waiting: Readonly<Record<string, { readonly urls: number }>>;
  readonly robotsDenied: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly pagesPerSecond: number;
}

/** The report for a terminal, plain text, without a trailing line end.
 * @param dir the crawl's directory
 * @param delay the crawl's `--delay` in ms, which the server's log is held against; absent: not judged */
export function demoReport(summary: DemoCrawlSummary, log: ServerLogSummary, dir: string, delay?: number): string {
  return [
    'What happened',
    ...table([
      [
        'pages',
        `${number(summary.pages)} in ${summary.seconds.toFixed(1)} s; ${number(summary.hosts)} host names were met`,
      ],
      ['duplicates', duplicates(summary)],
      ['traps left', trapsLeft(summary, log)],
      ['robots forbade', robots(summary, log)],
      ['still waiting', waiting(summary.waiting)],
    ]),
    '',
    'What the web saw (the log of the synthetic server, on its own clock)',
    ...table([
      ['requests', `${number(log.requests)}: ${kinds(log)}`],
      ['at once', `never more than ${log.mostAtOncePerHost} on a host, ${log.mostAtOncePerAddress} on an address`],
      ['smallest gap', smallestGap(log.tightestHost, delay)],
    ]),
    '',
    'Where it lies',
    ...table([
      ['every answer', `${join(dir, 'warc')} (WARC: open it with any replay tool)`],
      ['the texts', `${join(dir, 'text')} (also WARC)`],
      ['the store', `${join(dir, 'crawl.sqlite')} (SQLite: urls, visits, requests, hosts)`],
    ]),
    '',
    'How to look at it',
    `  ${SAUNTER} status --dir ${dir}`,
    `  ${SAUNTER} list urls --dir ${dir}`,
    `  ${SAUNTER} export --dir ${dir} --out pages.jsonl`,
    `  ${SAUNTER} verify --dir ${dir}     reads everything back and proves every delay`,
  ].join('\n');
}

/** How the program is called here: `npm run demo` has no `saunter` on its path. */
const SAUNTER = process.env.npm_execpath === undefined ? 'saunter' : 'npx saunter';

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Rows of two columns, the second aligned. */
function table(rows: [name: string, words: string][]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`);
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function duplicates({ duplicates: exact, nearDuplicates: near }: DemoCrawlSummary): string {
  const counts = `${plural(exact, 'exact copy', 'exact copies')} and ${plural(near, 'near-copy', 'near-copies')}`;
  return `${counts}; kept once, and the links of exact copies are not followed: a whole mirror costs one page`;
}

/** Refusals that mean a trap (`url/traps.ts`, and the budget), and what they say to a reader. */
const TRAPS: Readonly<Record<string, string>> = {
  depth: 'too deep',
  repeat: 'repeat themselves',
  queries: 'one query too many',
  length: 'too long',
  budget: 'over the budget of their host',
};

function trapsLeft({ rejected }: DemoCrawlSummary, log: ServerLogSummary): string {
  const reasons = Object.entries(rejected).filter(([reason, count]) => count > 0 && Object.hasOwn(TRAPS, reason));
  const words = reasons.map(([reason, count]) => `${number(count)} ${TRAPS[reason]}`).join(', ');
  const entered = plural(log.kinds.trap ?? 0, 'page');
  const refused = words === '' ? 'no link was refused' : `links refused: ${words}`;
  return `${entered} of endless series fetched before they were left; ${refused}`;
}

function robots({ robotsDenied }: DemoCrawlSummary, log: ServerLogSummary): string {
  const asked = log.kinds.forbidden ?? 0;
  const kept = asked === 0 ? 'none was asked for' : `AND ${plural(asked, 'forbidden URL')} WAS ASKED FOR ALL THE SAME`;
  return `${plural(robotsDenied, 'URL')}, by the rules or for want of a readable robots.txt; ${kept}`;
}

function waiting(reasons: DemoCrawlSummary['waiting']): string {
  const words = Object.entries(reasons).map(([reason, { urls }]) => `${reason} ${number(urls)}`);
  return words.length === 0 ? 'nothing' : `${words.join(', ')} (nothing of a host whose robots.txt fails is fetched)`;
}

/** Kinds of answers, most frequent first. */
function kinds(log: ServerLogSummary): string {
  const counts = Object.entries(log.kinds) as [string, number][];
  return counts
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${kind === 'trap' ? 'page of an endless series' : kind} ${number(count)}`)
    .join(', ');
}

function smallestGap(gap: GapReport | null, delay: number | undefined): string {
  if (gap?.smallestGap == null) return 'no host was asked twice';
  const words = `${gap.smallestGap.toFixed(1)} ms, on ${gap.key}`;
  if (delay === undefined) return words;
  return `${words}; the delay was ${delay} ms: ${gap.smallestGap >= delay ? 'kept' : 'BROKEN'}`;
}
