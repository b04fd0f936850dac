/**
 * What the parser knows about HTML element and attribute names: numbers instead of strings, and the classes of the
 * HTML standard's tree construction that bear on links and text.
 */
import { ByteWords } from './byte-words.js';

/** Element numbers. 0 is any name not listed here. */
// biome-ignore format: a table
export const Tag = {
  other: 0, a: 1, abbr: 2, address: 3, applet: 4, area: 5, article: 6, aside: 7, audio: 8, b: 9, base: 10,
  basefont: 11, bgsound: 12, big: 13, blockquote: 14, body: 15, br: 16, button: 17, canvas: 18, caption: 19, center: 20,
  cite: 21, code: 22, col: 23, colgroup: 24, dd: 25, del: 26, desc: 27, details: 28, dialog: 29, dir: 30, div: 31,
  dl: 32, dt: 33, em: 34, embed: 35, fieldset: 36, figcaption: 37, figure: 38, font: 39, footer: 40, foreignobject: 41,
  form: 42, frame: 43, frameset: 44, h1: 45, h2: 46, h3: 47, h4: 48, h5: 49, h6: 50, head: 51, header: 52, hgroup: 53,
  hr: 54, html: 55, i: 56, iframe: 57, image: 58, img: 59, input: 60, ins: 61, keygen: 62, label: 63, legend: 64,
  li: 65, link: 66, listing: 67, main: 68, marquee: 69, math: 70, menu: 71, meta: 72, mglyph: 73, mi: 74, mn: 75,
  mo: 76, ms: 77, mtext: 78, nav: 79, nobr: 80, noembed: 81, noframes: 82, noscript: 83, object: 84, ol: 85,
  optgroup: 86, option: 87, p: 88, param: 89, plaintext: 90, pre: 91, q: 92, rb: 93, rp: 94, rt: 95, rtc: 96, ruby: 97,
  s: 98, samp: 99, script: 100, search: 101, section: 102, select: 103, small: 104, source: 105, span: 106, strike: 107,
  strong: 108, style: 109, sub: 110, summary: 111, sup: 112, svg: 113, table: 114, tbody: 115, td: 116, template: 117,
  textarea: 118, tfoot: 119, th: 120, thead: 121, time: 122, title: 123, tr: 124, track: 125, tt: 126, u: 127, ul: 128,
  var: 129, video: 130, wbr: 131, xmp: 132, kbd: 133, malignmark: 134, 'annotation-xml': 135, metadata: 136,
  annotation: 137, datalist: 138, picture: 139, progress: 140, meter: 141, output: 142, dfn: 143, mark: 144, bdi: 145,
  bdo: 146, data: 147, slot: 148,
} as const;

/** Attribute numbers. 0 is any name not listed here. */
// biome-ignore format: a table
export const Attr = {
  other: 0, href: 1, src: 2, rel: 3, class: 4, id: 5, name: 6, content: 7, 'http-equiv': 8, property: 9, charset: 10,
  lang: 11, role: 12, style: 13, hidden: 14, type: 15, hreflang: 16, 'aria-hidden': 17, itemprop: 18, datetime: 19,
  color: 20, face: 21, size: 22, encoding: 23, alt: 24, title: 25, 'xml:lang': 26, 'aria-label': 27,
} as const;

export const TAG_COUNT = Object.keys(Tag).length;

export const tagWords = new ByteWords(Object.entries(Tag).filter(([, id]) => id !== 0));
export const attrWords = new ByteWords(Object.entries(Attr).filter(([, id]) => id !== 0));

/** Classes of elements, as bits of {@link tagClass}. */
export const TagClass = {
  /** Never has content: no entry on the stack. */
  void: 1,
  /** Starts and ends a line of text. */
  block: 2,
  /** Closes an open `p` when it starts (HTML 13.2.6.4.7). */
  closesP: 4,
  /** "Special": stops the search of an ordinary end tag. */
  special: 8,
  /** Bounds "has an element in scope". */
  scope: 16,
  /** Formatting: a state, not a node. Misnesting (`<b><p></b>`) is then harmless, which is what the standard's adoption
   * agency achieves for links and text. */
  formatting: 32,
  /** Breaks out of svg and math content (HTML 13.2.6.5). */
  breakout: 64,
  heading: 128,
  /** Ends open elements besides `p` by its start (13.2.6.4.7 to 15): items, cells, rows, tables. */
  implies: 256,
  /** Its start tag has a rule of its own in scan.ts. */
  ruled: 512,
  /** Its text is not text of the page. */
  muted: 1024,
  /** Its end changes more of the scan's state than the stack. */
  stateful: 2048,
} as const;

export const tagClass = new Uint16Array(TAG_COUNT);

const mark = (bit: number, names: string): void => {
  for (const name of names.split(' ')) tagClass[Tag[name as keyof typeof Tag]] |= bit;
};
mark(
  TagClass.void,
  'area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr',
);
mark(
  TagClass.block,
  'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p ' +
    'plaintext pre search section select summary table tbody td tfoot th thead tr ul xmp',
);
mark(
  TagClass.closesP,
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup ' +
    'main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt plaintext hr xmp table',
);
mark(
  TagClass.special,
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ' +
    'ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot ' +
    'th thead title tr track ul wbr xmp foreignobject desc mi mo mn ms mtext annotation-xml',
);
mark(
  TagClass.scope,
  'applet caption html table td th marquee object template foreignobject desc mi mo mn ms mtext annotation-xml',
);
mark(TagClass.formatting, 'a b big code em font i nobr s small strike strong tt u');
mark(
  TagClass.breakout,
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
mark(TagClass.heading, 'h1 h2 h3 h4 h5 h6');
mark(TagClass.implies, 'li dd dt td th tr tbody thead tfoot caption table');
mark(
  TagClass.ruled,
  'html body head title textarea iframe script style noembed noframes xmp plaintext caption colgroup tbody td tfoot th ' +
    'thead tr noscript button option optgroup svg math',
);
mark(
  TagClass.muted,
  'textarea video audio canvas datalist template metadata annotation annotation-xml iframe noembed noframes script style',
);
mark(TagClass.stateful, 'template pre listing xmp tr td th');
