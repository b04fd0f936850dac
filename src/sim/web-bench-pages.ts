/**
 * Pages of ordinary size for the bench (DESIGN section 13): about 100 KB of HTML that compress to 20 to 25 KB, with at
 * least 120 anchors and 1,500 elements, the markup of a usual content system around the text.
 */
import { heading, sentence, type Topic } from './pages.js';
import type { WebRandom } from './web-random.js';
import type { Vocabulary } from './web-words.js';

/** Bytes of HTML of one page: drawn evenly from this range, so that the mean is 100 KB (of 1,000 bytes). */
const SMALLEST = 88_000;
const LARGEST = 112_000;
/** Half of what the last paragraph of an article adds. */
const SLACK = 300;

const INLINE = ['em', 'strong', 'b', 'i', 'code', 'small', 'cite', 'span'];

/**
 * One page.
 * @param links hrefs to spread over the page, at least 120; used in turn, each at least once
 */
export function benchPage(vocabulary: Vocabulary, topic: Topic, random: WebRandom, links: readonly string[]): string {
  const title = heading(vocabulary, topic, random);
  let used = 0;
  const anchor = (style: string) =>
    `<a class="${style}" href="${links[used++ % links.length]!}">${heading(vocabulary, topic, random)}</a>`;
  // One word in five stands in an element of its own.
  const mark = (word: string) => {
    const choice = random.below(40);
    return choice < INLINE.length ? `<${INLINE[choice]}>${word}</${INLINE[choice]}>` : word;
  };
  const { top, bottom } = pageFrame(title, anchor, random, vocabulary, topic);
  const target = random.between(SMALLEST, LARGEST) - top.length - bottom.length - SLACK;
  let article = '';
  for (let index = 0; article.length < target; index++) {
    if (index % 6 === 0)
      article += `<h2 class="section-title" id="s${index}">${heading(vocabulary, topic, random)}</h2>\n`;
    article += '<p class="article-body">';
    for (let rest = random.between(2, 4); rest > 0; rest--) article += sentence(vocabulary, topic, random, mark);
    if (used < links.length) article += anchor('inline-link');
    article += '</p>\n';
    if (index % 12 === 11) article += figure(random, heading(vocabulary, topic, random));
  }
  return top + article + bottom;
}

function figure(random: WebRandom, caption: string): string {
  const name = random.hex(8);
  return `<figure class="media media--wide"><picture><source srcset="/img/${name}.webp" type="image/webp"><img src="/img/${name}.jpg" alt="${caption}" width="640" height="360" loading="lazy"></picture><figcaption class="caption">${caption}</figcaption></figure>\n`;
}

/** What stands around the article. */
function pageFrame(
  title: string,
  anchor: (style: string) => string,
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
${repeat(30, () => `<li class="menu__item menu__item--level-1" role="none">${anchor('menu__link menu__link--level-1')}</li>\n`)}</ul></nav></header>
<div class="grid"><main class="content" id="content"><article class="article"><h1 class="headline">${title}</h1>
`;
  const bottom = `<table class="data-table"><thead><tr>${repeat(4, () => `<th scope="col">${heading(vocabulary, topic, random)}</th>`)}</tr></thead><tbody>
${repeat(60, () => `<tr class="data-table__row">${repeat(4, () => `<td class="data-table__cell">${random.below(10_000)}</td>`)}</tr>\n`)}</tbody></table>
</article></main><aside class="sidebar"><h2 class="widget-title">Related</h2>
${repeat(40, () => `<div class="card card--small card--sidebar"><span class="card__kicker card__kicker--muted"></span><div class="card__body">${anchor('card__link')}</div></div>\n`)}</aside></div>
<footer class="site-footer"><ul class="footer-list">
${repeat(30, () => `<li class="footer-list__item">${anchor('footer-list__link')}</li>\n`)}</ul><p class="legal">&copy; 2026 &middot; ${title}</p></footer>
<script src="/assets/js/app.js?v=${random.hex(8)}" defer></script></body></html>
`;
  return { top, bottom };
}
