/**
 * What an element's class, id, role and name say about its purpose: words that many sites use, never names of one.
 */
import { ByteWords } from './byte-words.js';
import { TAG_COUNT, Tag } from './elements.js';

/** Bits of an element's hints. */
export const Hint = {
  /** Menus, breadcrumbs, pagination, tables of links. */
  navigation: 1,
  footer: 2,
  header: 4,
  /** Side columns, related and recommended items, widgets. */
  aside: 8,
  /** Sharing, subscribing, logging in, advertising, consent. */
  promotion: 16,
  comments: 32,
  /** Not shown: `hidden`, `display: none`, `aria-hidden`, dialogs. */
  hidden: 64,
  /** Bylines, dates, tags, captions: close to the text, not part of it. */
  meta: 128,
  /** The page's content by its own words. */
  content: 256,
  /** An `article`, `main` or what is named so. */
  article: 512,
  noscript: 1024,
  form: 2048,
  /** Pictures and what stands under them. */
  caption: 4096,
  /** What is quoted from elsewhere, as part of the text. */
  embed: 8192,
  /** One of many: cards, tickers, listings. */
  listing: 16384,
  /** What stands over a text: headlines, and the sentences between them and the text. */
  lede: 32768,
} as const;

const vocabulary: [number, string][] = [
  [
    Hint.navigation,
    'nav navbar navigation menu menus submenu megamenu topnav subnav sitenav mainnav navmenu breadcrumb breadcrumbs ' +
      'crumbs pagination pager paging pagenav prevnext toc skip skiplink sitemap toolbar topbar tabs pagelinks navi',
  ],
  [Hint.footer, 'footer foot colophon copyright copyrights footnav siteinfo sitefooter bottombar'],
  [Hint.header, 'header masthead siteheader pageheader topheader'],
  [
    Hint.aside,
    'sidebar aside sidenav rail related relatedposts recommended recommendations recommend widget widgets popular ' +
      'trending mostread morelinks readmore seealso similar suggested teaser teasers upsell crosssell ' +
      'recent latestnews carousel promoted complementary recirc',
  ],
  [
    Hint.promotion,
    'share sharing sharebar shares social socials newsletter subscribe subscription signup ' +
      'login signin register ad ads advert advertisement advertising adbox banner banners sponsor sponsored sponsors ' +
      'promo promos promotion cookie cookies cookiebar gdpr consent popup modal overlay paywall donate cta ' +
      'notice alert follow print bookmark rating ratings vote votes like likes flag contentinfo search searchbox ' +
      'disclaimer feedback survey lightbox toast tooltip dropdown',
  ],
  [Hint.comments, 'comment comments commentlist discussion respond replies reply responses'],
  [Hint.hidden, 'hidden hide invisible visuallyhidden sr screenreader offscreen noprint'],
  [
    Hint.meta,
    'byline author authors authorbox bio meta postmeta entrymeta dateline date published timestamp tags tag taglist ' +
      'category categories credit credits',
  ],
  [
    Hint.caption,
    'caption captions figcaption figure figures image images img photo photos picture pictures gallery slideshow slide ' +
      'slider thumbnail thumb video player media credit',
  ],
  [
    Hint.content,
    'content body text entry story post blog maincontent articlebody postcontent entrycontent main copy prose',
  ],
  [Hint.embed, 'embed embeds embedded tweet tweets blockquote pullquote quote quotes'],
  [
    Hint.listing,
    'card cards tile tiles teaser teasers ticker grid feed excerpt excerpts listing listings posts stories archive ' +
      'archives breaking',
  ],
  [
    Hint.lede,
    'title subtitle headline subheadline subhead dek deck standfirst lead lede intro introduction summary abstract ' +
      'description heading kicker strapline tagline',
  ],
  [
    Hint.article,
    'article articlebody storybody postbody entrycontent postcontent articlecontent hentry mainentity articletext',
  ],
];

const words = new ByteWords(wordEntries());

function* wordEntries(): Generator<[string, number]> {
  const bits = new Map<string, number>();
  for (const [bit, list] of vocabulary) for (const word of list.split(' ')) bits.set(word, (bits.get(word) ?? 0) | bit);
  yield* bits;
}

/** Words read of one class or id: enough for any honest one. */
const MAX_BYTES = 256;

/**
 * Hints by value: a site, and the web, repeats its class values thousands of times, and comparing one with what was seen
 * costs a third of looking for its words. A value has one place, by its length and a few of its bytes.
 */
class RememberedHints {
  readonly #length = new Uint8Array(PLACES);
  readonly #hints = new Int32Array(PLACES);
  readonly #bytes = new Uint8Array(PLACES * LONGEST);

  hintsOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST) return readHints(bytes, start, end);
    if (length < 2) return 0;
    const place = this.#placeOf(bytes, start, end);
    const from = place * LONGEST;
    const known = this.#bytes;
    if (this.#length[place] === length) {
      let i = 0;
      while (i < length && known[from + i] === bytes[start + i]) i++;
      if (i === length) return this.#hints[place];
    }
    for (let i = 0; i < length; i++) known[from + i] = bytes[start + i];
    this.#length[place] = length;
    this.#hints[place] = readHints(bytes, start, end);
    return this.#hints[place];
  }

  #placeOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const middle = start + (length >> 1);
    const ends = bytes[start] | (bytes[end - 1] << 8) | (bytes[middle] << 16) | (bytes[middle - 1] << 24);
    const inner = bytes[start + (length >> 2)] | (bytes[end - 2] << 8) | (bytes[end - 1 - (length >> 2)] << 16);
    const hash = Math.imul(ends, 0x9e3779b1) ^ Math.imul(inner + (length << 24), 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (PLACES - 1);
  }
}

const PLACES = 2048;
const LONGEST = 64;
const remembered = new RememberedHints();

/** Hints of the words in `bytes[start, end)`, the value of a class, id or role. */
export function hintsOfWords(bytes: Uint8Array, start: number, end: number): number {
  return remembered.hintsOf(bytes, start, end);
}

/** Hints of the words in `bytes[start, end)`, cut at anything but letters and where lower case turns into upper. */
function readHints(bytes: Uint8Array, start: number, end: number): number {
  const stop = Math.min(end, start + MAX_BYTES);
  let hints = 0;
  let wordStart = start;
  let low = 0;
  let high = 0;
  let previousLower = false;
  for (let p = start; p <= stop; p++) {
    const c = p < stop ? bytes[p] : 0;
    const lower = c | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    const isUpper = isLetter && c !== lower;
    if (!isLetter || (isUpper && previousLower)) {
      if (p - wordStart > 1) hints |= words.find(low, high, bytes, wordStart, p);
      wordStart = isLetter ? p : p + 1;
      low = high = 0;
    }
    if (isLetter) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | lower;
    }
    previousLower = isLetter && !isUpper;
  }
  return hints;
}

/** Hints of an element's name alone, by its number. */
export const tagHints = new Int32Array(TAG_COUNT);
for (const [hint, tags] of [
  [Hint.navigation, [Tag.nav, Tag.menu]],
  [Hint.footer, [Tag.footer]],
  [Hint.header, [Tag.header]],
  [Hint.aside, [Tag.aside]],
  [Hint.noscript, [Tag.noscript]],
  [Hint.hidden, [Tag.dialog]],
  [Hint.form, [Tag.form]],
  [Hint.article, [Tag.article, Tag.main]],
  [Hint.caption, [Tag.figure, Tag.figcaption]],
] as const) {
  for (const tag of tags) tagHints[tag] = hint;
}
