/**
 * The links of a page as flat columns: no object per link.
 */

/** Bits of {@link LinkList.flags}: what a link is, and what its `rel` says. */
export const LinkFlag = {
  /** `a` or `area`: the links a reader can follow. */
  anchor: 1,
  /** `iframe` or `frame`. */
  frame: 2,
  canonical: 4,
  alternate: 8,
  next: 16,
  prev: 32,
  amphtml: 64,
  nofollow: 128,
  ugc: 256,
  sponsored: 512,
  area: 1024,
  /** `rel=alternate` of a feed (`application/rss+xml` or `application/atom+xml`). */
  feed: 2048,
  /** Target of a meta refresh. */
  refresh: 4096,
} as const;

/** Links in document order. `hrefs` are as the page has them, decoded and without surrounding white space, neither
 * resolved nor normalised: resolve them against {@link ParsedPage.base}. */
export interface LinkList {
  hrefs: string[];
  flags: Uint16Array;
  /** Anchor text of each link, when asked for (`anchorText`). */
  texts?: string[];
  /** `hreflang` by index, of those that have one. */
  hreflangs: Map<number, string>;
  /** True if the cap on links was reached: later ones are missing. */
  truncated: boolean;
}

const RELS: Readonly<Record<string, number>> = {
  canonical: LinkFlag.canonical,
  alternate: LinkFlag.alternate,
  next: LinkFlag.next,
  prev: LinkFlag.prev,
  previous: LinkFlag.prev,
  amphtml: LinkFlag.amphtml,
  nofollow: LinkFlag.nofollow,
  ugc: LinkFlag.ugc,
  sponsored: LinkFlag.sponsored,
};

const remembered = new Map<string, number>();

/** The bits of a `rel` value's tokens, compared without case. Few values are used on the whole web: they are remembered. */
export function relFlags(rel: string): number {
  const known = remembered.get(rel);
  if (known !== undefined) return known;
  let flags = 0;
  if (rel.length <= 1000) {
    for (const token of rel.toLowerCase().split(/[\t\n\f\r ,]+/)) {
      if (Object.hasOwn(RELS, token)) flags |= RELS[token];
    }
  }
  if (remembered.size < 1000) remembered.set(rel, flags);
  return flags;
}

/** Collects up to `limit` links. */
export class LinkCollector {
  readonly hrefs: string[] = [];
  readonly hreflangs = new Map<number, string>();
  truncated = false;
  #flags = new Uint16Array(256);
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Index of the link, or -1 when the cap is reached. */
  add(href: string, flags: number): number {
    const index = this.hrefs.length;
    if (index >= this.#limit) {
      this.truncated = true;
      return -1;
    }
    if (index === this.#flags.length) {
      const grown = new Uint16Array(index * 2);
      grown.set(this.#flags);
      this.#flags = grown;
    }
    this.hrefs.push(href);
    this.#flags[index] = flags;
    return index;
  }

  finish(): LinkList {
    return {
      hrefs: this.hrefs,
      flags: this.#flags.slice(0, this.hrefs.length),
      hreflangs: this.hreflangs,
      truncated: this.truncated,
    };
  }
}
