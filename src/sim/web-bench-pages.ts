/**
 * Pages of ordinary size for the bench (DESIGN section 13): about 100 KB of HTML that compress to 20 to 25 KB, with at
 * least 120 anchors and 1,500 elements, the markup of a usual content system around the text, and the state of an
 * application in a script, which is where most bytes of real pages are. Text is nearly a tenth of the page: more than the
 * share of 415 real news, blog and shop pages that were measured (6%: 12 KB of 196 KB).
 */
import { heading, sentence, type Topic } from './pages.js';
import type { WebRandom } from './web-random.js';
import type { Vocabulary } from './web-words.js';

/** Bytes of HTML of one page: drawn evenly from this range, so that the mean is 100 KB (of 1,000 bytes). */
const SMALLEST = 88_000;
const LARGEST = 112_000;
/** Characters of HTML that the article of a page is given. */
const ARTICLE = 17_000;
/** What is left for the state of an application on a page of the mean size. */
const STATE = 35_000;

const INLINE = ['em', 'strong', 'b', 'i', 'code', 'small', 'cite', 'span'];

/**
 * One page.
 * @param links hrefs to spread over the page, at least 120; used in turn, each at least once
 */
export function benchPage(vocabulary: Vocabulary, topic: Topic, random: WebRandom, links: readonly string[]): string {
  const title = heading(vocabulary, topic, random);
  const writer = new PageWriter(vocabulary, topic, random, links);
  const { top, bottom } = pageFrame(title, writer, random, vocabulary, topic);
  const article = writer.article(ARTICLE);
  const rest = random.between(SMALLEST, LARGEST) - top.length - article.length - bottom.length;
  return top + article + applicationState(rest, vocabulary, topic, random) + bottom;
}

/** The pieces of a page, for a web that puts pages together from a stock of them: every piece is drawn anew.
 * @param links hrefs for the frame, at least 120 */
export function benchPieces(vocabulary: Vocabulary, topic: Topic, random: WebRandom, links: readonly string[]) {
  const writer = new PageWriter(vocabulary, topic, random, links);
  return {
    frame: () => pageFrame(heading(vocabulary, topic, random), writer, random, vocabulary, topic),
    article: (share: number) => new PageWriter(vocabulary, topic, random, []).article(ARTICLE / share),
    state: () => applicationState(STATE, vocabulary, topic, random),
  };
}

/** Writes the parts of one page that have links in them. */
class PageWriter {
  readonly #vocabulary: Vocabulary;
  readonly #topic: Topic;
  readonly #random: WebRandom;
  readonly #links: readonly string[];
  #used = 0;

  constructor(vocabulary: Vocabulary, topic: Topic, random: WebRandom, links: readonly string[]) {
    this.#vocabulary = vocabulary;
    this.#topic = topic;
    this.#random = random;
    this.#links = links;
  }

  anchor(style: string): string {
    const href = this.#links[this.#used++ % this.#links.length]!;
    return `<a class="${style}" href="${href}"><svg class="icon" aria-hidden="true"><use href="#icon-${this.#random.below(20)}"></use></svg><span class="label">${word(this.#vocabulary, this.#topic, this.#random)}</span></a>`;
  }

  /** So many characters of headings, paragraphs and figures, with links while there are some that were not used. */
  article(length: number): string {
    const [vocabulary, topic, random] = [this.#vocabulary, this.#topic, this.#random];
    // One word in five stands in an element of its own.
    const mark = (word: string) => {
      const choice = random.below(40);
      return choice < INLINE.length ? `<${INLINE[choice]}>${word}</${INLINE[choice]}>` : word;
    };
    let article = '';
    for (let index = 0; article.length < length; index++) {
      if (index % 6 === 0)
        article += `<h2 class="section-title" id="s${index}">${heading(vocabulary, topic, random)}</h2>\n`;
      article += '<div class="block block--text" data-block="text"><div class="block__inner"><p class="article-body">';
      for (let rest = random.between(2, 4); rest > 0; rest--) article += sentence(vocabulary, topic, random, mark);
      if (this.#used < this.#links.length) article += this.anchor('inline-link');
      article += '</p></div></div>\n';
      if (index % 12 === 11) article += figure(random, heading(vocabulary, topic, random));
    }
    return article;
  }
}

/** A script with `size` characters of JSON, as applications leave it for their own start. */
function applicationState(size: number, vocabulary: Vocabulary, topic: Topic, random: WebRandom): string {
  let state = '<script id="__STATE__" type="application/json">{"items":[';
  while (state.length < size) {
    state +=
      `{"id":${random.below(1_000_000)},"type":"teaser","slug":"${word(vocabulary, topic, random)}-${word(vocabulary, topic, random)}",` +
      `"image":{"src":"/img/${random.hex(8)}.jpg","width":640,"height":360,"focus":{"x":0.5,"y":0.5}},"visible":true,"premium":false,` +
      `"etag":"${random.hex(96)}","signature":"${random.hex(128)}","author":null,"section":"${word(vocabulary, topic, random)}","template":"<a href=\\"/not/a/link\\">","published":${random.below(1_000_000_000)}},`;
  }
  return `${state}null]}</script>\n`;
}

/** One word of a heading. */
const word = (vocabulary: Vocabulary, topic: Topic, random: WebRandom): string =>
  heading(vocabulary, topic, random).split(' ', 1)[0]!;

function figure(random: WebRandom, caption: string): string {
  const name = random.hex(8);
  return `<figure class="media media--wide"><picture><source srcset="/img/${name}.webp" type="image/webp"><img src="/img/${name}.jpg" alt="${caption}" width="640" height="360" loading="lazy"></picture><figcaption class="caption">${caption}</figcaption></figure>\n`;
}

/** What stands around the article. */
function pageFrame(
  title: string,
  writer: PageWriter,
  random: WebRandom,
  vocabulary: Vocabulary,
  topic: Topic,
): { top: string; bottom: string } {
  const repeat = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join('');
  const top = `<!DOCTYPE html>
<html lang="en" class="no-js"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${heading(vocabulary, topic, random)}">
${repeat(6, (i) => `<link rel="stylesheet" href="/assets/css/part-${i}.css?v=${random.hex(8)}">\n`)}${repeat(8, (i) => `<meta property="og:part${i}" content="${heading(vocabulary, topic, random)}">\n`)}<script>window.dataLayer = window.dataLayer || []; function track() { dataLayer.push(arguments); } if (1 < 2 && "<p>" !== '') track('page', '${random.hex(16)}');</script>
<style>.grid{display:grid;grid-template-columns:repeat(12,1fr);gap:16px}.card>a{color:#123}</style>
</head><body class="page page--article"><header class="site-header"><nav class="main-nav" aria-label="Main"><ul class="menu">
${repeat(30, () => `<li class="menu__item menu__item--level-1" role="none">${writer.anchor('menu__link menu__link--level-1')}</li>\n`)}</ul></nav></header>
<div class="grid"><main class="content" id="content"><article class="article"><h1 class="headline">${title}</h1>
`;
  const bottom = `<table class="data-table"><thead><tr>${repeat(4, () => `<th scope="col">${heading(vocabulary, topic, random)}</th>`)}</tr></thead><tbody>
${repeat(110, () => `<tr class="data-table__row">${repeat(4, () => `<td class="data-table__cell">${random.below(10_000)}</td>`)}</tr>\n`)}</tbody></table>
</article></main><aside class="sidebar"><h2 class="widget-title">Related</h2>
${repeat(40, () => `<div class="card card--small card--sidebar"><span class="card__kicker card__kicker--muted"></span><div class="card__body">${writer.anchor('card__link')}</div></div>\n`)}</aside></div>
<footer class="site-footer"><ul class="footer-list">
${repeat(30, () => `<li class="footer-list__item">${writer.anchor('footer-list__link')}</li>\n`)}</ul><p class="legal">&copy; 2026 &middot; ${title}</p></footer>
<script src="/assets/js/app.js?v=${random.hex(8)}" defer></script></body></html>
`;
  return { top, bottom };
}
