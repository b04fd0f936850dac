/**
 * What a page repeats, and what follows from it (DESIGN 5 and 10): duplicates are kept once, soft 404s are errors, a host
 * that repeats itself without end is a suspected trap and falls to the lowest level. Pure.
 */
import type { Changes, HostEventRow, VisitRow } from '../changes.js';
import { type DuplicateLimits, HostDuplicates } from '../dedupe/host-duplicates.js';
import { type KeptPages, type KeptVisit, printOf } from '../dedupe/kept-pages.js';
import type { UrlText } from '../engines/ports.js';
import type { OutcomeCode } from '../errors.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Lease } from '../frontier/lease.js';
import type { LeaseReport } from '../frontier/report.js';
import { WideMap } from '../wide-map.js';
import type { Admission } from './admission.js';

/** What becomes of the links of a repeated page. */
export type LinkRule = 'drop' | 'demote' | 'follow';

export interface DuplicateOptions {
  exact: LinkRule;
  near: LinkRule;
  limits: DuplicateLimits;
  /** A URL of an origin that no site has, or null if it may not be asked for: to learn what a host says of such. */
  probe: (origin: string) => { keyHi: number; keyLo: number; url: string } | null;
}

export interface Judgement {
  code: OutcomeCode;
  /** Id of the URL whose page this one repeats, or -1; nearly, or exactly. */
  duplicateOf: number;
  near: boolean;
}

/** A host of which more than the limit's share of the last new pages were duplicates. */
export interface SuspectedTrap {
  host: string;
  pages: number;
  duplicates: number;
}

/** A host of whose `pages` half or more (`copies`) are duplicates of pages of one other host. */
export interface MirrorHost {
  host: string;
  of: string;
  copies: number;
  pages: number;
}

/** An answer of {@link Duplicates.ask}: the host's error page. */
export const ERROR_PAGE = -2;

type Print = { hi: number; lo: number };

export class Duplicates {
  readonly kept: KeptPages;
  readonly hosts: HostDuplicates;
  readonly #frontier: Frontier;
  readonly #admission: Admission;
  readonly #options: DuplicateOptions;
  /** By host: the URL that was asked to see its error page, -1 if it could not be. */
  readonly probes = new WideMap<number, number>();

  constructor(kept: KeptPages, frontier: Frontier, admission: Admission, options: DuplicateOptions) {
    this.kept = kept;
    this.hosts = new HostDuplicates(options.limits);
    this.#frontier = frontier;
    this.#admission = admission;
    this.#options = options;
  }

  /** Whose page has nearly this text? Asked by a worker before it writes the text. A URL's id, -1 for nobody's, or
   * {@link ERROR_PAGE}. Two that ask at the same time both hear -1. */
  ask(lease: Lease, print: Print): number {
    if (this.#isSoft404(lease, print, null)) return ERROR_PAGE;
    return this.kept.near.find(print.hi, print.lo, lease.url);
  }

  /** The last word on an answer, when it is settled: pages that asked at the same time are told apart here, by order. */
  judge(lease: Lease, { code, page }: LeaseReport): Judgement {
    const original = { code, duplicateOf: -1, near: false };
    if (lease.kind !== 'page' || code !== 'ok' || page === null) return original;
    const print = printOf(page.simhash);
    if (this.#isSoft404(lease, print, page.contentHash)) return { ...original, code: 'http.soft404' };
    if (page.contentHash === null) return original;
    const { content, near } = this.kept;
    const holder = content.visitOf(page.contentHash);
    const exact = holder < 0 ? -1 : content.urlOf(holder);
    if (exact === lease.url) return original;
    if (exact >= 0) return { code, duplicateOf: exact, near: false };
    // it was told so, and has written no text: so it stays, even if the other page has changed meanwhile
    if (page.duplicateOf >= 0 && page.duplicateOf !== lease.url) {
      return { code, duplicateOf: page.duplicateOf, near: page.near };
    }
    const similar = print === null || !near.isLoaded ? -1 : near.find(print.hi, print.lo, lease.url);
    return similar < 0 ? original : { code, duplicateOf: similar, near: true };
  }

  /** Is a page to be fetched whole, whatever its validators would say? Its text was not kept, since another page had it, and
   * that one has another now. */
  hasLostOriginal({ id, last }: UrlText): boolean {
    if (last === null || last.duplicateOf < 0) return false;
    const { content, near } = this.kept;
    const { contentHash, simhash } = last.body;
    if (contentHash !== null && content.visitOf(contentHash) >= 0) return false;
    const print = printOf(simhash);
    return print === null || !near.isLoaded || near.find(print.hi, print.lo, id) < 0;
  }

  /** A 200 that is the host's error page, or that answers a URL which cannot exist. Home pages and seeds are what
   * somebody meant, whatever they look like. */
  #isSoft404(lease: Lease, print: Print | null, content: Uint8Array | null): boolean {
    if (this.probes.get(lease.host) === lease.url) return true;
    if (!this.kept.errors.isError(lease.host, print, content)) return false;
    return lease.depth > 0 && !isHome(lease.target);
  }

  /** What becomes of the links of a page: none are followed (`drop`), all at this level, or each at its own (null). */
  linkLevel({ code, duplicateOf, near }: Judgement): number | null | 'drop' {
    if (code === 'http.soft404') return 'drop';
    if (duplicateOf < 0) return null;
    const rule = near ? this.#options.near : this.#options.exact;
    return rule === 'demote' ? LOWEST : rule === 'follow' ? null : 'drop';
  }

  /** A visit is over: it counts from now on, and its host is looked at. */
  settled(lease: Lease, visit: VisitRow, now: number, changes: Changes): void {
    const { host } = lease;
    const { ratio, window } = this.#options.limits;
    if (!this.#count(visit, host) || visit.duplicateOf < 0) return;
    if (this.hosts.isRising(host)) this.#probe(lease, now, changes);
    if (!this.hosts.isSuspect(host)) return;
    const words = `suspected trap: more than ${Math.round(100 * ratio)}% of its last ${window} new pages are duplicates`;
    this.#frontier.demote(host, words, now, changes);
  }

  /** Asks the host once for a page that cannot exist, unless its error page is known. */
  #probe(lease: Lease, now: number, changes: Changes): void {
    const { host, depth } = lease;
    if (this.probes.has(host) || this.kept.errors.isKnown(host)) return;
    const candidate = this.#options.probe(new URL(lease.target).origin);
    let url = -1;
    if (candidate !== null) {
      const place = { kind: 'page', depth, hops: 0, via: -1, level: 0, priority: null, seed: false } as const;
      url = this.#admission.admit({ ...candidate, ...place }, false, now, changes);
    }
    this.probes.set(host, url);
    const words = 'asked for a page that cannot exist, to learn its error page';
    changes.hostEvents.push({ host, at: now, kind: 'probed', until: 0, value: url, words });
  }

  // -- a crawl that goes on ------------------------------------------------------------------------------------------

  restore(visit: KeptVisit): void {
    this.#count(visit, this.#frontier.urls.hostOf(visit.url));
  }

  restoreEvent({ kind, host, value }: HostEventRow): void {
    if (kind === 'probed') this.probes.set(host, value);
  }

  // -- figures -------------------------------------------------------------------------------------------------------

  /** Suspected traps and mirrors, the largest first, at most `most` of each. */
  report(most: number): { suspectedTraps: SuspectedTrap[]; mirrors: MirrorHost[] } {
    const { names, demoted, size } = this.#frontier.hosts;
    const traps: SuspectedTrap[] = [];
    for (let host = 0; host < size; host++) {
      if (demoted[host] === 0) continue;
      traps.push({ host: names[host], pages: this.hosts.pages(host), duplicates: this.hosts.duplicates(host) });
    }
    const mirrors = Array.from(this.hosts.mirrors(), ({ host, of, copies, pages }) => {
      return { host: names[host], of: names[of], copies, pages };
    });
    return {
      suspectedTraps: traps.sort((a, b) => b.duplicates - a.duplicates).slice(0, most),
      mirrors: mirrors.sort((a, b) => b.copies - a.copies).slice(0, most),
    };
  }

  /** True if it is a page, and a new one. */
  #count(visit: KeptVisit, host: number): boolean {
    const { kept, hosts } = this;
    const isPage = visit.kind === 'page' && visit.code === 'ok' && visit.contentHash !== null;
    const isNew = isPage && !kept.content.hasPage(visit.url);
    kept.settled(visit, host);
    if (isNew) hosts.add(host, visit.duplicateOf < 0 ? -1 : this.#frontier.urls.hostOf(visit.duplicateOf));
    return isNew;
  }
}

const LOWEST = 4;

/** Is it the page at the root of its host? */
const isHome = (target: string): boolean => target.indexOf('/', target.indexOf('//') + 2) === target.length - 1;
