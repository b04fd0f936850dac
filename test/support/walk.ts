/** A crawl of a synthetic web in memory, by the generator's own rules: breadth first, obedient, without a clock. */
import { gunzipSync } from 'node:zlib';
import type { SyntheticWeb, WebAnswer } from '../../src/sim/web.js';

export interface Walk {
  /** Normal URLs that answered with a page. */
  readonly pages: Set<string>;
  /** How many answers of each kind came. */
  readonly kinds: Map<string, number>;
}

/** Long after the first request: hosts that refuse at first have come round. */
const LATER = 3_600_000;

const SESSION = /\?sid=[0-9a-f]{32}$/;

/** Asks one URL of a web. */
export function ask(
  web: SyntheticWeb,
  url: string,
  headers: Record<string, string> = {},
  sinceFirst = LATER,
): WebAnswer {
  const { hostname, pathname, search } = new URL(url);
  return web.answer({ host: hostname, target: pathname + search, headers, sinceFirst });
}

/**
 * Follows every link, redirect and sitemap from the seeds.
 * @param depth most links from a seed; series without end stop there
 */
export function walk(web: SyntheticWeb, depth: number): Walk {
  const pages = new Set<string>();
  const kinds = new Map<string, number>();
  const seen = new Set<string>();
  let level = [...web.seeds];
  const down = new Set(web.down);
  for (let distance = 0; distance <= depth && level.length > 0; distance++) {
    const next: string[] = [];
    for (let work = level; work.length > 0; ) {
      const sameDepth: string[] = [];
      for (const spelling of work) {
        // A crawler that took every session for a new page would never come out of the shop.
        const url = spelling.replace(SESSION, '');
        const { hostname, origin } = new URL(url);
        if (seen.has(url) || down.has(hostname)) continue;
        seen.add(url);
        if (!seen.has(`${origin}/robots.txt`)) sameDepth.push(`${origin}/robots.txt`);
        const answer = ask(web, url);
        kinds.set(answer.kind, (kinds.get(answer.kind) ?? 0) + 1);
        if (answer.headers.Location !== undefined) sameDepth.push(new URL(answer.headers.Location, url).href);
        if (answer.kind === 'robots') sameDepth.push(...links(url, answer, /Sitemap: (\S+)/g));
        if (answer.kind === 'sitemap') sameDepth.push(...links(url, answer, /<loc>([^<]+)/g));
        if (answer.kind === 'page') pages.add(normal(url));
        if (answer.kind === 'page' || answer.kind === 'trap') next.push(...links(url, answer, /href="([^"]+)"/g));
      }
      work = sameDepth;
    }
    level = next;
  }
  return { pages, kinds };
}

/** The body as text, its content coding taken off. */
export function bodyText({ headers, body }: WebAnswer): string {
  const packed = headers['Content-Encoding'] === 'gzip' || headers['Content-Type'] === 'application/gzip';
  return (packed ? gunzipSync(body) : body).toString('latin1');
}

function links(base: string, answer: WebAnswer, pattern: RegExp): string[] {
  return [...bodyText(answer).matchAll(pattern)].map((match) => new URL(match[1]!, base).href);
}

function normal(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname === '/' ? pathname : pathname.replace(/\/$/, '');
  return origin + path + search;
}
