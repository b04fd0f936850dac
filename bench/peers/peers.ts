/** What a user would pick instead of Saunter, each in its recommended setting, and Saunter itself. */
import { join } from 'node:path';
import { programFile } from '../program.js';
import type { Installed } from './install.js';

/** One crawl that a peer is to make. */
export interface Task {
  /** A file of URLs, one a line: the home pages of all hosts. */
  readonly seeds: string;
  /** A folder of its own. */
  readonly out: string;
  readonly installed: Installed;
}

export interface Command {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Peer {
  readonly name: string;
  /** Whose version {@link Installed.versions} knows; null for Saunter. */
  readonly source: string | null;
  /** What it does with a page here, and what it leaves out that Saunter does; sentences of Markdown. */
  readonly does: string;
  readonly lacks: string;
  /** How it goes on after `kill -9`; null if it has no way. */
  readonly resumes: string | null;
  start(task: Task): Command;
  /** The same crawl again after a kill, if that is another command. */
  again?(task: Task): Command;
}

const node = (task: Task, driver: string, ...args: string[]): Command => ({
  command: [process.execPath, join(task.installed.drivers, driver), ...args],
  env: {},
});

const debian = ({ installed }: Task, program: string, ...args: string[]): Command => ({
  command: [join(installed.debian, 'usr/bin', program), ...args],
  env: installed.env,
});

const saunter: Peer = {
  name: 'Saunter',
  source: null,
  does: 'Everything, as always: robots.txt, one request at once on a host, WARC of request and answer, all links, title, main text, language, fingerprints, near-duplicates, every decision durable',
  lacks: '',
  resumes: 'the same command',
  start: ({ seeds, out }) => ({
    command: [
      ...[process.execPath, programFile, 'crawl', '--seeds', seeds, '--dir', out, '--json', '--admin', 'off'],
      ...['--allow-private', '127.0.0.0/8', '--scope', 'any', '--delay', '0', '--patience', '1m'],
      ...['--contact', 'mailto:bench@example.com'],
    ],
    env: {},
  }),
};

// the pages name style sheets, scripts and pictures, which nobody here is to fetch
const wget2Flags = ['-r', '-l', 'inf', '-H', '--ignore-tags=link,script,img,source', '--no-verbose', '--tries=1'];

const wget2: Peer = {
  name: 'wget2',
  source: 'wget2',
  does: 'robots.txt, links, each page as a file; five threads, its default',
  lacks:
    'no limit of requests at once on a host, no text, title or language, no request kept, no duplicates, a frontier in memory only',
  resumes: 'the same command with `-nc`, which reads the files that are there instead of fetching them',
  start: (task) => debian(task, 'wget2', ...wget2Flags, '-P', task.out, '-i', task.seeds),
  again: (task) => debian(task, 'wget2', ...wget2Flags, '-nc', '-P', task.out, '-i', task.seeds),
};

const httrackFlags = (task: Task) => [
  ...['-q', '-%L', task.seeds, '-O', task.out, '-e', '-r9999', '-p1', '-%k', '-c16', '-%c0', '-A0', '-%!'],
  ...['-*.css', '-*.js', '-*.jpg', '-*.webp'],
];

const httrack: Peer = {
  name: 'httrack',
  source: 'httrack',
  does: 'robots.txt, links, each page as a file whose links are rewritten, a cache for going on; its limits of speed taken off',
  lacks:
    'no limit of requests at once on a host, no text, title or language, no request kept, no duplicates by content',
  resumes: '`--continue`',
  start: (task) => debian(task, 'httrack', ...httrackFlags(task)),
  again: (task) => debian(task, 'httrack', '--continue', ...httrackFlags(task)),
};

const scrapy: Peer = {
  name: 'Scrapy',
  source: 'python3-scrapy',
  does: 'robots.txt, one request at once on a host, all links, title; the settings of its page on broad crawls, `JOBDIR` for going on',
  lacks: 'no body kept, no main text or language, no duplicates by content, no delay from robots.txt',
  resumes: 'the same command with the same `JOBDIR`',
  start: (task) => ({
    command: [
      ...['/usr/bin/python3', '-m', 'scrapy', 'runspider', join(task.installed.drivers, 'scrapy_spider.py')],
      ...['-a', `seeds=${task.seeds}`, '-s', `JOBDIR=${join(task.out, 'job')}`, '-o', join(task.out, 'pages.jsonl')],
    ],
    env: task.installed.env,
  }),
};

const crawlee = (kind: 'cheerio' | 'http', does: string): Peer => ({
  name: kind === 'cheerio' ? 'Crawlee Cheerio' : 'Crawlee Http',
  source: `@crawlee/${kind}`,
  does: `robots.txt, ${does}; request queue and dataset on disk, its default storage; as many requests at once as it finds good`,
  lacks: 'no limit of requests at once on a host, no body kept, no main text or language, no duplicates by content',
  resumes: 'the same command with `CRAWLEE_PURGE_ON_START=0`',
  start: (task) => crawleeCommand(task, kind, '1'),
  again: (task) => crawleeCommand(task, kind, '0'),
});

function crawleeCommand(task: Task, kind: string, purge: string): Command {
  const env = { CRAWLEE_STORAGE_DIR: join(task.out, 'storage'), CRAWLEE_PURGE_ON_START: purge };
  return { ...node(task, 'crawlee.mjs', kind, task.seeds), env };
}

const spiderRs: Peer = {
  name: 'spider-rs',
  source: '@spider-rs/spider-rs',
  does: 'robots.txt, links, title; one site at a time, 32 side by side',
  lacks:
    'no links to other sites, no limit of requests at once on a host, no body kept, no main text or language, no duplicates by content, nothing on disk',
  resumes: null,
  start: (task) => node(task, 'spider-rs.mjs', task.seeds, task.out),
};

const simplecrawler: Peer = {
  name: 'simplecrawler',
  source: 'simplecrawler',
  does: 'robots.txt, links and title by regular expressions, 16 requests at once; its queue frozen to a file every 10 s',
  lacks:
    'no limit of requests at once on a host, no body kept, no main text or language, no duplicates by content; unmaintained',
  resumes: '`queue.defrost` of the last file',
  start: (task) => node(task, 'simplecrawler.mjs', task.seeds, task.out),
};

const crawler: Peer = {
  name: 'crawler',
  source: 'crawler',
  does: 'all links and title by cheerio, one request at once on a host by a limiter for each',
  lacks:
    'no robots.txt, no body kept, no main text or language, no duplicates by content, no list of known URLs of its own (the driver keeps one), nothing on disk',
  resumes: null,
  start: (task) => node(task, 'crawler.mjs', task.seeds, task.out),
};

export const PEERS: readonly Peer[] = [
  saunter,
  wget2,
  httrack,
  scrapy,
  crawlee('cheerio', 'all links and title by cheerio'),
  crawlee('http', 'links and title by regular expressions'),
  spiderRs,
  simplecrawler,
  crawler,
];
