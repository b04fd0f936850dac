/** The figures of a running crawl for somebody who watches it on a terminal: taken a few times a second, so none of them
 * takes a walk over hosts or URLs. */
import type { Changes } from '../changes.js';
import type { OutcomeCode } from '../errors.js';
import type { OpenedCrawl } from './open.js';

/** Counts are of the whole crawl. */
export interface LiveFigures {
  readonly hosts: {
    readonly known: number;
    /** With a request under way; between two of their requests; with work, but no place in play yet. */
    readonly active: number;
    readonly waiting: number;
    readonly queued: number;
  };
  readonly urls: { readonly known: number; readonly pending: number };
  readonly duplicates: { readonly exact: number; readonly near: number };
  readonly robotsDenied: number;
  readonly deadLetters: number;
  /** Most frequent first. */
  readonly errors: readonly (readonly [code: string, count: number])[];
  /** Newest last. */
  readonly recent: readonly LivePage[];
}

/** A request for a page or a sitemap that has ended. */
export interface LivePage {
  readonly url: string;
  readonly status: number;
  readonly code: OutcomeCode;
  readonly bytes: number;
  /** Another page has its content, or nearly. */
  readonly repeats: boolean;
}

/** Requests that are remembered. */
const RECENT = 5;

/** Watches a crawl from its next commit on. */
export function watchLive(opened: OpenedCrawl): () => LiveFigures {
  const recent: Changes['requests'] = [];
  const repeating = new Set<number>();
  opened.heard.push(({ requests, visits }) => {
    for (const request of requests.slice(-4 * RECENT))
      if (request.kind !== 'robots' && request.url >= 0) recent.push(request);
    recent.splice(0, recent.length - RECENT);
    repeating.clear();
    for (const { request, duplicateOf } of visits.slice(-4 * RECENT)) if (duplicateOf >= 0) repeating.add(request);
  });
  return () => figures(opened, recent, repeating);
}

function figures(
  { frontier, tally, crawl }: OpenedCrawl,
  recent: Changes['requests'],
  repeating: ReadonlySet<number>,
): LiveFigures {
  const active = frontier.leases.size; // never two on one host
  const errors = Object.entries({ ...tally.errors, ...crawl.unresolved }) as [string, number][];
  return {
    hosts: {
      known: frontier.hostsMet,
      active,
      waiting: Math.max(0, frontier.back.held - active),
      queued: frontier.front.size,
    },
    urls: { known: frontier.urls.size, pending: frontier.urls.inState[0] - frontier.revisits.overdue },
    duplicates: { exact: tally.duplicates, near: tally.nearDuplicates },
    robotsDenied: tally.robotsDenied,
    deadLetters: tally.deadLetters,
    errors: errors.sort(([, a], [, b]) => b - a),
    recent: recent.map(({ id, target, status, code, bytes }) => ({
      ...{ url: target, status, code, bytes },
      repeats: repeating.has(id),
    })),
  };
}
