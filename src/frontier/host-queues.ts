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
import { LEVELS, NONE, type UrlTable } from './url-table.js';

const LOWEST = LEVELS - 1;
/** The level of a host with revisits: they are worth as much as pages a few links away. */
const REVISIT_LEVEL = 2;

export class HostQueues {
  readonly #hosts: HostTable;
  readonly #urls: UrlTable;
  readonly #random: Random;
  readonly #revisits: Revisits;
  readonly #share: number;

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
      this.#urls.setLink(hosts.tail(host, level), rest);
      if (rest === NONE) hosts.setTail(host, LOWEST, hosts.tail(host, level));
      hosts.setHead(host, LOWEST, head);
      hosts.setHead(host, level, NONE);
      hosts.setTail(host, level, NONE);
    }
    const isEmpty = (hosts.levels[host] & ~REVISITS) === 0;
    hosts.levels[host] = (hosts.levels[host] & REVISITS) | (isEmpty ? 0 : 1 << LOWEST);
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

  #link(host: number, list: number, url: number, atHead: boolean): void {
    const hosts = this.#hosts;
    const head = hosts.head(host, list);
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
    this.#hosts.setHead(host, list, next);
    if (next === NONE) this.#hosts.setTail(host, list, NONE);
    this.#urls.setLink(url, NONE);
    return url;
  }
}
