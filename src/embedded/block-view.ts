/** The hosts that are blocked, with the reasons that were given, to look at while the crawl runs. */
import { setImmediate as turn } from 'node:timers/promises';
import { type Block, range } from './host-view.js';
import type { OpenedCrawl } from './open.js';

export interface BlockedHost extends Block {
  host: string;
  pending: number;
}

/** Rows of host events that are read in one turn. */
const SLICE = 5_000;
const LISTED = 'on a blocklist of the config';

export class BlockView {
  readonly #opened: OpenedCrawl;
  /** Why and since when the hosts are blocked that an operator blocked, as far as the rows were read. */
  readonly #said = new Map<number, { reason: string; at: number }>();
  #learnt = 0;

  constructor(opened: OpenedCrawl) {
    this.#opened = opened;
  }

  /** In the order in which the hosts were met. @param search part of a name, lower case */
  async list(search: string, offset: number, limit: number): Promise<{ total: number; hosts: BlockedHost[] }> {
    await this.#learn();
    const { frontier } = this.#opened;
    const { names, queued } = frontier.hosts;
    const found = frontier.blockedHosts.filter((host) => search === '' || names[host].includes(search));
    const page = found.slice(offset, offset + limit);
    return {
      total: found.length,
      hosts: page.map((host) => ({ host: names[host], pending: queued[host], ...this.#of(host) })),
    };
  }

  /** Of a host that is blocked. */
  async of(host: number): Promise<Block> {
    await this.#learn();
    return this.#of(host);
  }

  #of(host: number): Block {
    const said = this.#said.get(host);
    const until = this.#opened.frontier.blockedUntil(host) || null;
    return { reason: said?.reason ?? LISTED, since: said?.at ?? null, until };
  }

  async #learn(): Promise<void> {
    const { store } = this.#opened;
    for (let end = store.count('hostEvents'); this.#learnt < end; end = store.count('hostEvents')) {
      const to = Math.min(end, this.#learnt + SLICE);
      for (const { host, kind, words, at } of store.at('hostEvents', range(this.#learnt, to))) {
        if (kind === 'blocked') this.#said.set(host, { reason: words, at });
        else if (kind === 'unblocked') this.#said.delete(host);
      }
      this.#learnt = to;
      await turn();
    }
  }
}
