/** The crawler's own requests: who we say we are, what we accept, which caps apply to which kind of resource. */

import type { FetchCaps, FetchRequest, FetchResult, HttpClient } from './http.js';
import { validatorDate } from './http-date.js';

/** What a request is for: each kind has caps and an Accept header of its own. */
export type FetchKind = 'page' | 'robots' | 'sitemap';

const KIB = 1024;
const MIB = 1024 * KIB;
/** DESIGN 7: a ratio over 200 beyond 1 MiB decoded is a bomb. */
const RATIO = { ratio: 200, ratioFrom: MIB };

/** Defaults of DESIGN 7, in bytes. */
export const DEFAULT_CAPS: Readonly<Record<FetchKind, FetchCaps>> = {
  page: { wire: 5 * MIB, decoded: 20 * MIB, ...RATIO, lengthStops: true },
  // A robots.txt is read as far as RFC 9309, 2.5 asks for, however long it says it is.
  robots: { wire: 500 * KIB, decoded: 500 * KIB, ...RATIO, lengthStops: false },
  // `sitemap.xml.gz` comes as a gzip document as often as with a Content-Encoding.
  sitemap: { wire: 50 * MIB, decoded: 50 * MIB, ...RATIO, lengthStops: true, gunzip: true },
};

/** PDF as a page: over it the document is recorded, not parsed. */
export const PDF_BYTES = 32 * MIB;

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
  /** The whole User-Agent, see {@link userAgent}. */
  readonly userAgent: string;
  readonly client: HttpClient;
  /** Replaces {@link DEFAULT_CAPS}, kind by kind, field by field. */
  readonly caps?: Partial<Record<FetchKind, Partial<FetchCaps>>>;
  /** Which media types of pages somebody handles ('' is a missing one); default all. */
  readonly accepts?: (mediaType: string) => boolean;
  /** Bytes of a PDF that are read, on the wire and decoded. Default {@link PDF_BYTES}. */
  readonly pdf?: number;
  /** Wall-clock ms, to read dates with two-digit years. */
  readonly wall?: () => number;
}

export interface Fetcher {
  /** One request, never rejected; see {@link HttpClient.fetch}. */
  fetch(job: FetchJob): Promise<FetchResult>;
}

/** `Saunter/<version> (+<contact>)` (DESIGN 6). The contact is a URL or `mailto:`; without one there is no
 * parenthesis, which is for loopback only. Throws a RangeError if it cannot stand in a header. */
export function userAgent(version: string, contact: string | null): string {
  const text = contact === null ? `Saunter/${version}` : `Saunter/${version} (+${contact})`;
  if (!/^[\x20-\x7e]+$/.test(text)) throw new RangeError(`not a User-Agent: ${JSON.stringify(text)}`);
  return text;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const caps = (kind: FetchKind): FetchCaps => ({ ...DEFAULT_CAPS[kind], ...options.caps?.[kind] });
  const pdf = options.pdf ?? PDF_BYTES;
  const capsByKind: Record<FetchKind, FetchCaps> = {
    page: {
      accept: options.accepts,
      capsFor: (mediaType) => (mediaType === 'application/pdf' ? { wire: pdf, decoded: pdf } : {}),
      ...caps('page'),
    },
    robots: caps('robots'),
    sitemap: caps('sitemap'),
  };
  const wall = options.wall ?? Date.now;
  return {
    fetch(job) {
      const headers: [string, string][] = [
        ['User-Agent', options.userAgent],
        ['Accept', ACCEPT[job.kind]],
        ...validators(job, wall()),
      ];
      const { url, address, cookie, allowed, signal } = job;
      return options.client.fetch({ url, address, headers, caps: capsByKind[job.kind], cookie, allowed, signal });
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
