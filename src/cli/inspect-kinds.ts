/** What `inspect` can be asked about (DESIGN 11): each kind is a file of its own, and loaded when it is asked for. */
import type { Config } from '../config/config.js';
import { userAgent } from '../config/load-config.js';
import { version } from '../version.js';
import type { InspectKind } from './inspect-case.js';

/** A kind that is ready, with what ends it. */
export interface Inspector extends InspectKind {
  close?(): Promise<void>;
}

interface Entry {
  /** The flags that say something about it, by name. */
  readonly flags: readonly string[];
  /** Cases that may be under way at once. */
  readonly atOnce: number;
  open(config: Config, signal: AbortSignal): Promise<Inspector>;
}

/** Flags that stand for options: they are about requests. */
export const FETCH_OPTIONS = ['contact', 'delay', 'resolve', 'dns', 'allowPrivate'] as const;

export const KINDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['url', { flags: ['base'], atOnce: 1, open: async () => (await import('./inspect-url.js')).urlKind }],
  [
    'robots',
    {
      flags: ['url', 'agent', 'status'],
      atOnce: 1,
      open: async () => (await import('./inspect-robots.js')).robotsKind,
    },
  ],
  [
    'page',
    {
      flags: ['url', 'agent', 'content-type'],
      atOnce: 1,
      open: async () => (await import('./inspect-page.js')).pageKind,
    },
  ],
  [
    'sitemap',
    { flags: ['url', 'content-type'], atOnce: 1, open: async () => (await import('./inspect-page.js')).sitemapKind },
  ],
  [
    'fetch',
    {
      flags: ['file', 'content-encoding', 'config', 'contact', 'delay', 'resolve', 'dns', 'allow-private'],
      atOnce: 16,
      open: async (config, signal) => {
        const { FetchInspector } = await import('./inspect-fetch.js');
        return new FetchInspector(config, userAgent(version(), config.contact), signal);
      },
    },
  ],
  [
    'charset',
    { flags: ['content-type'], atOnce: 1, open: async () => (await import('./inspect-page.js')).charsetKind },
  ],
  ['type', { flags: [], atOnce: 1, open: async () => (await import('./inspect-page.js')).typeKind }],
]);
