/**
 * Builds the hosts of the demo's web: texts in several scripts, charsets and codings, and trees of linked pages.
 */
import iconv from 'iconv-lite';
import { drawTopic, heading, layoutPage, type PageLink, paragraph } from './pages.js';
import { type Route, Site } from './site.js';
import { coded, conditional, hostNamer, plainAnswer, urlAt, type WebPlace } from './web.js';
import { hashLabel, randomFor } from './web-random.js';
import { createVocabulary, type Script, type Vocabulary } from './web-words.js';

const VOCABULARY_SIZE = 20_000;
/** Pages that one page of a tree links to below it. */
const CHILDREN = 4;

export interface ArticleOptions {
  /** Links beside those to the home page: targets of the same host, or URLs. */
  readonly links?: readonly (string | PageLink)[];
  /** The text is that of this label; default: host and target. Equal labels give equal texts. */
  readonly text?: string;
  /** Replaces one word of the text, so that the page is a near-copy of the one it shares its label with. */
  readonly misprint?: string;
  readonly paragraphs?: number;
  readonly script?: Script;
  readonly language?: string;
  /** Of the body as sent; default utf-8. */
  readonly charset?: string;
  /** Where the charset is declared: default in both. */
  readonly declared?: 'header' | 'meta';
  readonly coding?: 'gzip' | 'br';
  /** More markup for the head. */
  readonly head?: string;
  readonly headers?: Record<string, string>;
}

export class DemoBuilder {
  readonly place: WebPlace;
  readonly sites = new Map<string, Site>();
  readonly #seed: number;
  readonly #name: (name: string) => string;
  readonly #vocabularies = new Map<Script, Vocabulary>();

  constructor(seed: number, place: WebPlace) {
    this.place = place;
    this.#seed = seed;
    this.#name = hostNamer(place);
  }

  /** A new host that answers. */
  host(name: string): Site {
    const site = new Site(this.reserve(name));
    this.sites.set(site.host, site);
    return site;
  }

  /** The name of a host that nobody serves. */
  reserve(name: string): string {
    return this.#name(name);
  }

  url(host: string, target: string): string {
    return urlAt(this.place, host, target);
  }

  /** Serves an article: some paragraphs about a topic of its own, with validators. */
  article(site: Site, target: string, options: ArticleOptions = {}): Route {
    const { charset = 'utf-8', declared } = options;
    const type = `text/html${declared === 'meta' ? '' : `; charset=${charset}`}`;
    const label = options.text ?? site.host + target;
    const day = (hashLabel(this.#seed, label) % 28) + 1;
    const lastModified = new Date(Date.UTC(2026, 0, day, 12)).toUTCString();
    return (request) => {
      const body = iconv.encode(this.#articleHtml(label, options), charset);
      const answer = conditional(request, plainAnswer('page', 200, type, body, options.headers), lastModified);
      return coded(request, answer, options.coding === undefined ? [] : [options.coding]);
    };
  }

  /** Adds a home page and `count - 1` articles under it, each linked from one before it. The home page also links to
   * `home`. */
  tree(site: Site, count: number, options: ArticleOptions & { readonly home?: readonly string[] } = {}): void {
    const { home = [], text, ...rest } = options;
    for (let index = 0; index < count; index++) {
      const target = treeTarget(index);
      const links: string[] = [];
      const last = Math.min(count - 1, (index + 1) * CHILDREN);
      for (let child = index * CHILDREN + 1; child <= last; child++) links.push(treeTarget(child));
      links.push(treeTarget(hashLabel(index, text ?? site.host) % count));
      if (index === 0) links.push(...home);
      const label = text === undefined ? {} : { text: text + target };
      site.page(target, this.article(site, target, { ...rest, ...label, links: [...links, ...(options.links ?? [])] }));
    }
  }

  #articleHtml(label: string, options: ArticleOptions): string {
    const vocabulary = this.#vocabulary(options.script ?? 'latin');
    const random = randomFor(this.#seed, `article ${label}`);
    const topic = drawTopic(vocabulary, random);
    const title = heading(vocabulary, topic, random);
    const paragraphs: string[] = [];
    const count = options.paragraphs ?? random.between(3, 6);
    for (let i = 0; i < count; i++) paragraphs.push(paragraph(vocabulary, topic, random, random.between(4, 7)));
    const links = [{ href: '/', text: heading(vocabulary, topic, random) }];
    for (const link of options.links ?? []) {
      links.push(typeof link === 'string' ? { href: link, text: heading(vocabulary, topic, random) } : link);
    }
    if (options.misprint !== undefined) {
      paragraphs[0] = paragraphs[0]!.replace(/ \S+ /, ` ${options.misprint} `);
    }
    const charset = options.declared === 'header' ? undefined : (options.charset ?? 'utf-8');
    return layoutPage({ title, language: options.language ?? 'en', charset, head: options.head, paragraphs, links });
  }

  #vocabulary(script: Script): Vocabulary {
    const known = this.#vocabularies.get(script);
    if (known !== undefined) return known;
    const made = createVocabulary(this.#seed, script, VOCABULARY_SIZE);
    this.#vocabularies.set(script, made);
    return made;
  }
}

/** The target of a page of a tree. */
export function treeTarget(index: number): string {
  return index === 0 ? '/' : `/article/${index}`;
}
