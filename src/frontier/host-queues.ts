/**
 * The pending URLs of each host: five linked lists (one a level), first in, first out, and one of the URLs that robots
 * deny. Levels of one host are drawn by the weights of the front queues.
 */
import type { Random } from '../engines/ports.js';
import { bestLevel, drawLevel } from './front-queues.js';
import { DENIED_LIST, type HostTable } from './host-table.js';
import { LEVELS, NONE, type UrlTable } from './url-table.js';

const LOWEST = LEVELS - 1;

export class HostQueues {
  readonly #hosts: HostTable;
  readonly #urls: UrlTable;
  readonly #random: Random;

  constructor(hosts: HostTable, urls: UrlTable, random: Random) {
    this.#hosts = hosts;
    this.#urls = urls;
    this.#random = random;
  }

  isEmpty(host: number): boolean {
    return this.#hosts.levels[host] === 0;
  }

  /** Best level with a URL; undefined behaviour on an empty host. */
  best(host: number): number {
    return bestLevel(this.#hosts.levels[host]);
  }

  /** Adds a URL to its level, at the end or (it was taken and comes back) at the head. */
  put(url: number, atHead = false): void {
    const host = this.#urls.hostOf(url);
    const level = this.#hosts.demoted[host] === 1 ? LOWEST : this.#urls.level(url);
    this.#link(host, level, url, atHead);
    this.#hosts.levels[host] |= 1 << level;
    this.#hosts.queued[host]++;
  }

  /** Takes up to `n` URLs in the order of the weighted draw. */
  take(host: number, n: number): number[] {
    const taken: number[] = [];
    while (taken.length < n) {
      const level = drawLevel(this.#hosts.levels[host], this.#random);
      if (level < 0) break;
      const url = this.#unlinkHead(host, level);
      if (this.#hosts.head(host, level) === NONE) this.#hosts.levels[host] &= ~(1 << level);
      this.#hosts.queued[host]--;
      taken.push(url);
    }
    return taken;
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
    hosts.levels[host] = hosts.levels[host] === 0 ? 0 : 1 << LOWEST;
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
