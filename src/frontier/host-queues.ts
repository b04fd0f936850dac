/**
 * The pending URLs of each host: five linked lists (one a level), first in, first out, one of the pages that are due
 * again, and one of the URLs that robots deny. Levels of one host are drawn by the weights of the front queues; revisits
 * take at most their share of its turns while new URLs wait (DESIGN 4, Priority).
 */
import type { Random } from '../engines/ports.js';
import { NO_REVISITS } from '../revisit/policy.js';
import { bestLevel, drawLevel } from './front-queues.js';
import { DENIED_LIST, type HostTable, REVISIT_LIST, REVISITS } from './host-table.js';
import { Revisits } from './revisits.js';
import { LEVELS, markAttempts, markLevel, markState, NONE, type UrlRun, UrlState, type UrlTable } from './url-table.js';

const LOWEST = LEVELS - 1;
/** While lists are restored, a row of a host: the heads of its lists, and how many URLs are queued. */
const COUNT = REVISIT_LIST + 1;
const ROW = COUNT + 1;
/** In place of a list: the URL is in none; more than its mark has to be known. */
const NOWHERE = 255;
const ASK = 254;
/** The level of a host with revisits: they are worth as much as pages a few links away. */
const REVISIT_LEVEL = 2;

export class HostQueues {
  readonly #hosts: HostTable;
  readonly #urls: UrlTable;
  readonly #random: Random;
  readonly #revisits: Revisits;
  readonly #share: number;
  /** URLs in the lists of all hosts: of each level, then the denied and the revisits. */
  readonly lengths = new Float64Array(COUNT);

  /** @param share of a host's turns that revisits may take while new URLs wait, 0 to 1 */
  constructor(hosts: HostTable, urls: UrlTable, random: Random, revisits = new Revisits(urls, NO_REVISITS), share = 0) {
    this.#hosts = hosts;
    this.#urls = urls;
    this.#revisits = revisits;
    this.#share = share;
    this.#random = random;
  }

  isEmpty(host: number): boolean {
    return this.#hosts.levels[host] === 0;
  }

  /** Best level with a URL; undefined behaviour on an empty host. */
  best(host: number): number {
    const mask = this.#hosts.levels[host];
    if (!(mask & REVISITS)) return bestLevel(mask);
    const level = this.#hosts.demoted[host] === 1 ? LOWEST : REVISIT_LEVEL;
    return mask === REVISITS ? level : Math.min(level, bestLevel(mask));
  }

  /** Adds a URL to its level, at the end or (it was taken and comes back) at the head. */
  put(url: number, atHead = false): void {
    const host = this.#urls.hostOf(url);
    this.#hosts.queued[host]++;
    if (this.#revisits.isRevisit(url)) {
      this.#link(host, REVISIT_LIST, url, atHead);
      this.#hosts.levels[host] |= REVISITS;
      return;
    }
    const level = this.#hosts.demoted[host] === 1 ? LOWEST : this.#urls.level(url);
    this.#link(host, level, url, atHead);
    this.#hosts.levels[host] |= 1 << level;
  }

  /** Takes up to `n` URLs in the order of the weighted draw. */
  take(host: number, n: number): number[] {
    const taken: number[] = [];
    while (taken.length < n) {
      const list = this.#draw(host);
      if (list < 0) break;
      const url = this.#unlinkHead(host, list);
      const bit = list === REVISIT_LIST ? REVISITS : 1 << list;
      if (this.#hosts.head(host, list) === NONE) this.#hosts.levels[host] &= ~bit;
      this.#hosts.queued[host]--;
      taken.push(url);
    }
    return taken;
  }

  /** The list of which a URL is taken next, or -1. */
  #draw(host: number): number {
    const { levels, revisitClaim } = this.#hosts;
    const mask = levels[host];
    if (mask === REVISITS) return REVISIT_LIST;
    if (mask & REVISITS) {
      revisitClaim[host] += this.#share;
      if (revisitClaim[host] >= 1) {
        revisitClaim[host]--;
        return REVISIT_LIST;
      }
    }
    return drawLevel(mask & ~REVISITS, this.#random);
  }

  /** From now on the host has one level, the lowest: its lists become one, the better ones first. */
  demote(host: number): void {
    const hosts = this.#hosts;
    hosts.demoted[host] = 1;
    for (let level = LOWEST - 1; level >= 0; level--) {
      const head = hosts.head(host, level);
      if (head === NONE) continue;
      const rest = hosts.head(host, LOWEST);
      this.#moved(head, level);
      this.#urls.setLink(hosts.tail(host, level), rest);
      if (rest === NONE) hosts.setTail(host, LOWEST, hosts.tail(host, level));
      hosts.setHead(host, LOWEST, head);
      hosts.setHead(host, level, NONE);
      hosts.setTail(host, level, NONE);
    }
    const isEmpty = (hosts.levels[host] & ~REVISITS) === 0;
    hosts.levels[host] = (hosts.levels[host] & REVISITS) | (isEmpty ? 0 : 1 << LOWEST);
  }

  /** The list that begins so is the lowest level's from now on. */
  #moved(head: number, level: number): void {
    let length = 0;
    for (let url = head; url !== NONE; url = this.#urls.link(url)) length++;
    this.lengths[level] -= length;
    this.lengths[LOWEST] += length;
  }

  putDenied(url: number): void {
    this.#link(this.#urls.hostOf(url), DENIED_LIST, url, false);
  }

  /** Empties the host's denied list. */
  takeDenied(host: number): number[] {
    const taken: number[] = [];
    while (this.#hosts.head(host, DENIED_LIST) !== NONE) taken.push(this.#unlinkHead(host, DENIED_LIST));
    return taken;
  }

  /**
   * Fills the empty lists of a crawl that goes on with every URL that is pending or denied, in the order of ids.
   *
   * From the last to the first, each before what is there: so the link of another URL, which lies anywhere in memory, is
   * never written. The heads of a host's lists and their length stand side by side meanwhile: one cache miss a URL, not
   * five; and what most marks amount to is looked up. Measured: 20 to 40 ns a URL
   * with 100,000 hosts, 80 with a million.
   *
   * @param waits asked of URLs that failed: does it wait elsewhere?
   */
  restore(waits: (url: number) => boolean): void {
    const hosts = this.#hosts;
    const listOf = this.#listsOfMarks();
    const rows = new Uint32Array(hosts.size * ROW).fill(NONE);
    for (let host = 0; host < hosts.size; host++) rows[host * ROW + COUNT] = 0;
    for (let end = this.#urls.size; end > 0; ) {
      const run = this.#urls.runBefore(end);
      this.#restoreRun(run, listOf, rows, waits);
      end = run.from;
    }
    for (let host = 0; host < hosts.size; host++) {
      const row = host * ROW;
      hosts.queued[host] = rows[row + COUNT];
      for (let list = 0; list < COUNT; list++) {
        const head = rows[row + list];
        if (head === NONE) continue;
        hosts.setHead(host, list, head);
        if (list !== DENIED_LIST) hosts.levels[host] |= list === REVISIT_LIST ? REVISITS : 1 << list;
      }
    }
  }

  #restoreRun(
    { from, marks, hosts: hostOf, links }: UrlRun,
    listOf: Uint8Array,
    rows: Uint32Array,
    waits: (url: number) => boolean,
  ): void {
    const hosts = this.#hosts;
    const { demoted } = hosts;
    const { lengths } = this;
    for (let i = marks.length - 1; i >= 0; i--) {
      let list = listOf[marks[i]];
      if (list === NOWHERE) continue;
      if (list === ASK) {
        const found = this.#listOf(from + i, waits);
        if (found < 0) continue;
        list = found;
      }
      const host = hostOf[i];
      if (list < LOWEST && demoted[host] === 1) list = LOWEST;
      const at = host * ROW + list;
      if (rows[at] === NONE) hosts.setTail(host, list, from + i);
      links[i] = rows[at];
      rows[at] = from + i;
      lengths[list]++;
      if (list !== DENIED_LIST) rows[host * ROW + COUNT]++;
    }
  }

  /** By mark: the list of such a URL when a crawl goes on, {@link NOWHERE}, or {@link ASK}. */
  #listsOfMarks(): Uint8Array {
    const isStanding = this.#revisits.planner.isStanding;
    return Uint8Array.from({ length: 256 }, (_, mark) => {
      const state = markState(mark);
      if (state === UrlState.denied) return DENIED_LIST;
      if (state === UrlState.dead) return NOWHERE;
      if (markAttempts(mark) > 0) return ASK;
      if (state !== UrlState.pending) return NOWHERE;
      return isStanding ? ASK : markLevel(mark);
    });
  }

  /** The list of a URL when a crawl goes on, or -1. */
  #listOf(url: number, waits: (url: number) => boolean): number {
    const urls = this.#urls;
    const state = urls.state(url);
    if (state === UrlState.denied) return DENIED_LIST;
    if (state === UrlState.dead) return -1;
    const hasFailed = urls.attempts(url) > 0;
    if (state !== UrlState.pending) {
      // a revisit that failed goes on with its ladder
      if (!hasFailed || !this.#revisits.isRevisit(url)) return -1;
      this.#revisits.take(url);
    }
    if (hasFailed && waits(url)) return -1;
    return this.#revisits.isRevisit(url) ? REVISIT_LIST : urls.level(url);
  }

  #link(host: number, list: number, url: number, atHead: boolean): void {
    const hosts = this.#hosts;
    const head = hosts.head(host, list);
    this.lengths[list]++;
    if (head === NONE) {
      this.#urls.setLink(url, NONE);
      hosts.setHead(host, list, url);
      hosts.setTail(host, list, url);
    } else if (atHead) {
      this.#urls.setLink(url, head);
      hosts.setHead(host, list, url);
    } else {
      this.#urls.setLink(url, NONE);
      this.#urls.setLink(hosts.tail(host, list), url);
      hosts.setTail(host, list, url);
    }
  }

  #unlinkHead(host: number, list: number): number {
    const url = this.#hosts.head(host, list);
    const next = this.#urls.link(url);
    this.lengths[list]--;
    this.#hosts.setHead(host, list, next);
    if (next === NONE) this.#hosts.setTail(host, list, NONE);
    this.#urls.setLink(url, NONE);
    return url;
  }
}
