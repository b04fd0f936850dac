/** The crawler's own requests: who we say we are, what we accept, which caps apply to which kind of resource. */

import type { FetchCaps, FetchRequest, FetchResult, HttpClient } from './http.js';
import { validatorDate } from './http-date.js';

/** What a request is for: each kind has caps and an Accept header of its own. */
export type FetchKind = 'page' | 'robots' | 'sitemap';

/** What is the same for a kind whatever its caps are. */
const TRAITS: Readonly<Record<FetchKind, Pick<FetchCaps, 'lengthStops' | 'gunzip'>>> = {
  page: { lengthStops: true },
  // A robots.txt is read as far as RFC 9309, 2.5 asks for, however long it says it is.
  robots: { lengthStops: false },
  // `sitemap.xml.gz` comes as a gzip document as often as with a Content-Encoding.
  sitemap: { lengthStops: true, gunzip: true },
};

/** Bytes of bodies, and what a bomb is. */
export type BodyCaps = Pick<FetchCaps, 'wire' | 'decoded' | 'ratio' | 'ratioFrom'>;

const ACCEPT: Readonly<Record<FetchKind, string>> = {
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain,*/*;q=0.8',
  sitemap: 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8',
};

export interface FetchJob extends Pick<FetchRequest, 'url' | 'address' | 'cookie' | 'allowed' | 'signal'> {
  readonly kind: FetchKind;
  /** Validators of the last visit, as the server sent them: a page that has not changed is answered by 304. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
}

export interface FetcherOptions {
  /** The whole User-Agent. */
  readonly userAgent: string;
  readonly client: HttpClient;
  /** By kind. */
  readonly caps: Readonly<Record<FetchKind, BodyCaps>>;
  /** Which media types of pages somebody handles ('' is a missing one); default all. */
  readonly accepts?: (mediaType: string) => boolean;
  /** Which media types the operator does not want of a URL of a page; null refuses none. */
  readonly refuses?: ((mediaType: string, url: string) => boolean) | null;
  /** Bytes of a PDF that are read, on the wire and decoded: over it the document is recorded, not parsed. */
  readonly pdf: number;
  /** Wall-clock ms, to read dates with two-digit years. */
  readonly wall?: () => number;
}

export interface Fetcher {
  /** One request, never rejected; see {@link HttpClient.fetch}. */
  fetch(job: FetchJob): Promise<FetchResult>;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const { pdf, refuses } = options;
  const capsOf = (kind: FetchKind): FetchCaps => ({ ...TRAITS[kind], ...options.caps[kind] });
  const capsByKind: Record<FetchKind, FetchCaps> = {
    page: {
      accept: options.accepts,
      capsFor: (mediaType) => (mediaType === 'application/pdf' ? { wire: pdf, decoded: pdf } : {}),
      ...capsOf('page'),
    },
    robots: capsOf('robots'),
    sitemap: capsOf('sitemap'),
  };
  const wall = options.wall ?? Date.now;
  return {
    fetch(job) {
      const headers: [string, string][] = [
        ['User-Agent', options.userAgent],
        ['Accept', ACCEPT[job.kind]],
        ...validators(job, wall()),
      ];
      const { kind, url, address, cookie, allowed, signal } = job;
      const refuse = kind === 'page' && refuses ? (mediaType: string) => refuses(mediaType, url) : undefined;
      const caps = refuse === undefined ? capsByKind[kind] : { ...capsByKind[kind], refuse };
      return options.client.fetch({ url, address, headers, caps, cookie, allowed, signal });
    },
  };
}

/** Conditional GET (RFC 9110, 13.1): the entity tag as it came, the date in the strict form. Both, because servers that
 * know tags ignore the date. */
function validators({ etag, lastModified }: FetchJob, now: number): [string, string][] {
  const fields: [string, string][] = [];
  if (etag) fields.push(['If-None-Match', etag]);
  const since = lastModified ? validatorDate(lastModified, now) : null;
  if (since !== null) fields.push(['If-Modified-Since', since]);
  return fields;
}
