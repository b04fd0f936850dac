/** What `inspect` can be asked about (DESIGN 11): each kind is a file of its own, and loaded when it is asked for. */
import type { Config, OptionName } from '../config/config.js';
import { userAgent } from '../config/load-config.js';
import { version } from '../version.js';
import type { CommandSpec, FlagSpec } from './arguments.js';
import type { InspectKind } from './inspect-case.js';

/** A kind that is ready, with what ends it. */
export interface Inspector extends InspectKind {
  close?(): Promise<void>;
}

export interface Entry {
  /** One sentence. */
  readonly says: string;
  /** The subject, as the usage line shows it. */
  readonly operand: string;
  /** The flags that say something about it, beside `--json`. */
  readonly flags: readonly FlagSpec[];
  /** Flags that stand for options. */
  readonly options: readonly OptionName[];
  readonly examples: CommandSpec['examples'];
  /** A case as a line of JSON. */
  readonly line: string;
  /** Cases that may be under way at once. */
  readonly atOnce: number;
  open(config: Config, signal: AbortSignal): Promise<Inspector>;
}

const CONTENT_TYPE: FlagSpec = {
  name: 'content-type',
  value: 'TYPE',
  says: 'The Content-Type header that came with it.',
};
const AGENT: FlagSpec = { name: 'agent', value: 'NAME', says: 'The crawler to read for. Default: Saunter.' };
const CAME_FROM: FlagSpec = {
  name: 'url',
  value: 'URL',
  says: 'Where it came from: relative links are resolved against it.',
};

export const KINDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    'url',
    {
      says: 'The normal form of a URL, what is fetched, its key, and each step on the way; or why it is refused.',
      operand: '[URL]',
      flags: [{ name: 'base', value: 'URL', says: 'What a relative link is resolved against.' }],
      options: [],
      examples: [
        ["saunter inspect url 'HTTP://Example.org:80/a/?utm_source=x&b=1'", 'What becomes of it.'],
        ['saunter inspect url ../c --base https://example.org/a/b/', 'A link of that page.'],
      ],
      line: '{"id": 1, "input": "../c", "base": "https://example.org/a/b/"}',
      atOnce: 1,
      open: async () => (await import('./inspect-url.js')).urlKind,
    },
  ],
  [
    'robots',
    {
      says: 'Whether a robots.txt allows a URL, and the line that decides.',
      operand: '[FILE]',
      flags: [
        { name: 'url', value: 'URL', says: 'The URL or path that is asked about. Default: /.' },
        AGENT,
        { name: 'status', value: 'CODE', says: 'What this HTTP status means, in place of a file.' },
      ],
      options: [],
      examples: [
        ['saunter inspect robots robots.txt --url /private/x', 'Whether it may be fetched, and the line that decides.'],
        ['saunter inspect robots --status 503 --url /x', 'What a crawler may do while robots.txt answers 503.'],
      ],
      line: '{"id": 1, "robots": "User-agent: *\\nDisallow: /private", "agent": "Saunter", "url": "/private/x"}',
      atOnce: 1,
      open: async () => (await import('./inspect-robots.js')).robotsKind,
    },
  ],
  [
    'page',
    {
      says: 'What is read from a page: charset, title, directives, links, text, main text, fingerprint.',
      operand: '[FILE]',
      flags: [CAME_FROM, AGENT, CONTENT_TYPE],
      options: [],
      examples: [['saunter inspect page page.html --url https://example.org/', 'A file that came from there.']],
      line: '{"id": 1, "html": "<title>T</title>", "url": "https://example.org/", "contentType": "text/html"}',
      atOnce: 1,
      open: async () => (await import('./inspect-page.js')).pageKind,
    },
  ],
  [
    'sitemap',
    {
      says: 'The URLs and further sitemaps that a sitemap, feed or list names.',
      operand: '[FILE]',
      flags: [CAME_FROM, CONTENT_TYPE],
      options: [],
      examples: [
        ['saunter inspect sitemap sitemap.xml.gz --url https://example.org/sitemap.xml.gz', 'Unzipped by itself.'],
      ],
      line: '{"id": 1, "file": "sitemap.xml", "url": "https://example.org/sitemap.xml"}',
      atOnce: 1,
      open: async () => (await import('./inspect-page.js')).sitemapKind,
    },
  ],
  [
    'fetch',
    {
      says: 'One request as the crawler makes it, or which guard refuses it; or how a body is decoded. robots.txt is not asked.',
      operand: '[URL]',
      flags: [
        { name: 'file', value: 'FILE', says: 'A body to decode, in place of a request.' },
        { name: 'content-encoding', value: 'CODINGS', says: 'The Content-Encoding header of that body.' },
        {
          name: 'config',
          value: 'FILE',
          says: 'Options from a file: YAML, JSON, or a JavaScript or TypeScript module.',
        },
      ],
      options: ['contact', 'delay', 'resolve', 'dns', 'allowPrivate'],
      examples: [
        ['saunter inspect fetch https://example.org/ --contact you@example.org', 'One request to a stranger.'],
        ['saunter inspect fetch --file body.bin --content-encoding br', 'A body that was kept as it came.'],
      ],
      line: '{"id": 1, "url": "https://example.org/"}',
      atOnce: 16,
      open: async (config, signal) => {
        const { FetchInspector } = await import('./inspect-fetch.js');
        return new FetchInspector(config, userAgent(version(), config.contact), signal);
      },
    },
  ],
  [
    'charset',
    {
      says: 'In which encoding a page is read, and what says so.',
      operand: '[FILE]',
      flags: [CONTENT_TYPE],
      options: [],
      examples: [
        ['saunter inspect charset page.html --content-type text/html', 'A file, and the header that came with it.'],
      ],
      line: '{"id": 1, "html": "<meta charset=shift-jis>"}',
      atOnce: 1,
      open: async () => (await import('./inspect-page.js')).charsetKind,
    },
  ],
  [
    'type',
    {
      says: 'How the value of a Content-Type header is read.',
      operand: '[TYPE]',
      flags: [],
      options: [],
      examples: [[`saunter inspect type 'TEXT/HTML; Charset="gbk"'`, 'The type and the charset in it.']],
      line: '{"id": 1, "contentType": "text/html; charset=gbk"}',
      atOnce: 1,
      open: async () => (await import('./inspect-page.js')).typeKind,
    },
  ],
]);
