/**
 * What an element's class, id, role and name say about its purpose: words that many sites use, never names of one.
 */
import { ByteWords, HASH_SEED, hashByte } from './byte-words.js';
import { Tag } from './elements.js';

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

/** Hints of the words in `bytes[start, end)`, cut at anything but letters and where lower case turns into upper. */
export function hintsOfWords(bytes: Uint8Array, start: number, end: number): number {
  const stop = Math.min(end, start + MAX_BYTES);
  let hints = 0;
  let wordStart = start;
  let hash = HASH_SEED;
  let previousLower = false;
  for (let p = start; p <= stop; p++) {
    const c = p < stop ? bytes[p] : 0;
    const lower = c | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    const isUpper = isLetter && c !== lower;
    if (!isLetter || (isUpper && previousLower)) {
      if (p - wordStart > 1) hints |= words.find(bytes, wordStart, p, hash);
      wordStart = isLetter ? p : p + 1;
      hash = HASH_SEED;
    }
    if (isLetter) hash = hashByte(hash, lower);
    previousLower = isLetter && !isUpper;
  }
  return hints;
}

/** Hints of an element's name alone. */
export function hintsOfTag(tag: number): number {
  switch (tag) {
    case Tag.nav:
    case Tag.menu:
      return Hint.navigation;
    case Tag.footer:
      return Hint.footer;
    case Tag.header:
      return Hint.header;
    case Tag.aside:
      return Hint.aside;
    case Tag.noscript:
      return Hint.noscript;
    case Tag.dialog:
      return Hint.hidden;
    case Tag.form:
      return Hint.form;
    case Tag.article:
    case Tag.main:
      return Hint.article;
    case Tag.figure:
    case Tag.figcaption:
      return Hint.caption;
    default:
      return 0;
  }
}
