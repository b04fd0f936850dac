/** Fingerprints of whole pages: through the parser, as a crawl takes them. */
import { describe, expect, it } from 'vitest';
import { NearPages } from '../../src/dedupe/near-pages.js';
import { hammingDistance, type Simhash, simhash } from '../../src/dedupe/simhash.js';
import { parsePage } from '../../src/parse/page.js';
import { drawTopic, paragraph } from '../../src/sim/pages.js';
import { webAddress } from '../../src/sim/server-address.js';
import { createDemoWeb } from '../../src/sim/web-demo.js';
import { randomFor } from '../../src/sim/web-random.js';
import { createVocabulary } from '../../src/sim/web-words.js';
import { ask, bodyText, walk } from '../support/walk.js';

const vocabulary = createVocabulary(1, 'latin', 20_000);

interface Parts {
  navigation: string;
  advert: string;
  date: string;
}
const PLAIN: Parts = { navigation: 'Home News Sport Weather', advert: '', date: '12 March 2026' };

/** An article of about 1,400 words, as a magazine would lay it out. */
function article(seed: number, { navigation, advert, date }: Parts): string {
  const random = randomFor(seed, 'article');
  const topic = drawTopic(vocabulary, random);
  const paragraphs = Array.from({ length: 24 }, () => `<p>${paragraph(vocabulary, topic, random, 6)}</p>`);
  const links = navigation.split(' ').map((word) => `<li><a href="/${word}">${word}</a></li>`);
  return `<!doctype html><html lang="en"><title>Story ${seed}</title><body><nav><ul>${links.join('')}</ul></nav>
<article><h1>Story ${seed}</h1><p>This story was published on ${date} and corrected since.</p>${paragraphs.slice(0, 5).join('')}
${advert}${paragraphs.slice(5).join('')}</article><footer>${navigation}</footer></body></html>`;
}

function print(html: string): Simhash {
  const url = 'http://a.test/';
  const page = parsePage({ url, body: Buffer.from(html), contentType: 'text/html; charset=utf-8' });
  const found = simhash(page.mainText || page.text);
  if (found === null) throw new Error('too short');
  return found;
}

describe('a page with something changed', () => {
  const pages = Array.from({ length: 60 }, (_, seed) => print(article(seed, PLAIN)));
  const changed: [string, Partial<Parts>][] = [
    ['navigation', { navigation: 'Start Business Culture Travel Opinion Archive' }],
    ['advertisement', { advert: '<div class="ad"><p>Subscribe now and save half</p></div>' }],
    ['date', { date: '3 April 2027' }],
  ];

  it.each(changed)('(%s) stays within three bits', (_, parts) => {
    const distances = pages.map((page, seed) => hammingDistance(page, print(article(seed, { ...PLAIN, ...parts }))));
    // the distance is a matter of chance, with a mean of two bits at most: now and then it is more than three
    expect(distances.filter((distance) => distance <= 3).length).toBeGreaterThanOrEqual(54);
    expect(Math.max(...distances)).toBeLessThanOrEqual(8);
  });

  it('is far from every other page', () => {
    let nearest = 64;
    pages.forEach((page, i) => {
      for (const other of pages.slice(i + 1)) nearest = Math.min(nearest, hammingDistance(page, other));
    });
    expect(nearest).toBeGreaterThan(12);
  });
});

describe('the web of the demo', () => {
  it('has no page that is wrongly called a near-duplicate of another', () => {
    const web = createDemoWeb(1, { port: 8080, addressOf: webAddress });
    const near = new NearPages(2_000);
    const seen = new Set<string>();
    const pairs: string[] = [];
    const urls = [...walk(web, 12).pages];
    urls.forEach((url, id) => {
      const html = bodyText(ask(web, url));
      const page = parsePage({ url, body: Buffer.from(html, 'latin1'), contentType: 'text/html; charset=utf-8' });
      const found = simhash(page.mainText || page.text);
      if (found === null || seen.has(html)) return;
      seen.add(html);
      const of = near.find(found.hi, found.lo, id);
      if (of < 0) near.keep(found.hi, found.lo, id);
      else pairs.push(`${urls[of]} ${url}`);
    });
    const meant = [
      /\/(?:news|copy|draft)\/(\d) \S*\/(?:news|copy|draft)\/\1$/, // near-copies, which are meant to be
      /\/month\/\S+ \S*\/month\/\S+$/, // an endless calendar of one text
    ];
    expect(pairs.filter((pair) => !meant.some((pattern) => pattern.test(pair)))).toEqual([]);
    expect(pairs.filter((pair) => pair.includes('/draft/')).length).toBeGreaterThanOrEqual(6);
    expect(urls.length).toBeGreaterThan(1_000);
  });
});
