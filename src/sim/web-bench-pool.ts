/**
 * The web of the bench's long runs: as many pages of ordinary size as wanted, put together when they are asked for from a
 * stock of compressed pieces, so that a page costs the server nearly nothing and takes no memory. No two
 * pages have the same text: each has four pieces of an article out of {@link ARTICLES}.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { drawTopic } from './pages.js';
import { hostNamer, plainAnswer, type SyntheticWeb, urlAt, type WebAnswer, type WebPlace } from './web.js';
import type { BenchWebOptions } from './web-bench.js';
import { benchPieces } from './web-bench-pages.js';
import { randomFor, type WebRandom } from './web-random.js';
import { createVocabulary } from './web-words.js';

/** Pieces of each kind in the stock. */
const FRAMES = 200;
const ARTICLES = 2_000;
const STATES = 200;
/** Pieces of an article that make one. */
const SHARE = 4;
/** Links in a frame: to pages of the own host (relative, so that any host may use it), and elsewhere. */
const OWN_LINKS = 90;
const FAR_LINKS = 50;
const VOCABULARY_SIZE = 24_000;
const TOPIC = 120;

/** RFC 1952: deflate, no flags, no time, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty last block of deflate. */
const LAST_BLOCK = Buffer.from([3, 0]);

interface Piece {
  readonly text: Buffer;
  /** Whole blocks of raw deflate, which may stand between others. */
  readonly deflated: Buffer;
}

const ROBOTS = plainAnswer('robots', 200, 'text/plain; charset=utf-8', 'User-agent: *\nDisallow: /private/\n');
const MISSING = plainAnswer('missing', 404, 'text/plain', 'no such page\n');
const PATH = /^\/(?:articles\/([1-9]\d*)\.html)?$/;

const pagePath = (page: number): string => (page === 0 ? '/' : `/articles/${page}.html`);

/** Seeds are the home pages; every page of a host is linked from many of its others. */
export function createPoolWeb({ hosts, pages, seed }: BenchWebOptions, place: WebPlace): SyntheticWeb {
  const name = hostNamer(place);
  const names = Array.from({ length: hosts }, (_, index) => name(`site-${index}`));
  const known = new Set(names);
  const vocabulary = createVocabulary(seed, 'latin', VOCABULARY_SIZE);
  const pieces = (label: string) => {
    const random = randomFor(seed, label);
    return benchPieces(
      vocabulary,
      drawTopic(vocabulary, random, TOPIC),
      random,
      drawLinks(names, pages, random, place),
    );
  };
  // each piece is written when it is first drawn
  const stock = <T>(label: string, make: (from: ReturnType<typeof pieces>) => T): ((index: number) => T) => {
    const made: T[] = [];
    return (index) => (made[index] ??= make(pieces(`${label} ${index}`)));
  };
  const frames = stock('frame', (from) => {
    const { top, bottom } = from.frame();
    return { top: piece(top), bottom: piece(bottom) };
  });
  const articles = stock('article', (from) => piece(from.article(SHARE)));
  const states = stock('state', (from) => piece(from.state()));

  const page = (host: string, target: string): WebAnswer => {
    const random = randomFor(seed, host + target);
    const { top, bottom } = frames(random.below(FRAMES));
    const article = Array.from({ length: SHARE }, () => articles(random.below(ARTICLES)));
    const body = gzipOf([top, ...article, states(random.below(STATES)), bottom]);
    return plainAnswer('page', 200, 'text/html; charset=utf-8', body, { 'Content-Encoding': 'gzip' });
  };
  return {
    seeds: names.map((host) => urlAt(place, host, '/')),
    hosts: names,
    down: [],
    answer: ({ host, target }) => {
      if (target === '/robots.txt') return ROBOTS;
      const found = PATH.exec(target);
      return found !== null && known.has(host) && Number(found[1] ?? 0) < pages ? page(host, target) : MISSING;
    },
    reachable: () =>
      names.flatMap((host) => Array.from({ length: pages }, (_, index) => urlAt(place, host, pagePath(index)))).sort(),
  };
}

function drawLinks(names: readonly string[], pages: number, random: WebRandom, place: WebPlace): string[] {
  const links = Array.from({ length: OWN_LINKS }, () => pagePath(random.below(pages)));
  for (let i = 0; i < FAR_LINKS; i++) {
    links.push(urlAt(place, names[random.below(names.length)]!, pagePath(random.below(pages))));
  }
  return links;
}

function piece(html: string): Piece {
  const text = Buffer.from(html);
  return { text, deflated: deflateRawSync(text, { level: 4, finishFlush: constants.Z_FULL_FLUSH }) };
}

/** One gzip member (RFC 1952) of pieces that were deflated one by one. */
function gzipOf(pieces: readonly Piece[]): Buffer {
  const end = Buffer.alloc(8);
  let [sum, length] = [0, 0];
  for (const { text } of pieces) {
    sum = crc32(text, sum);
    length += text.length;
  }
  end.writeUInt32LE(sum, 0);
  end.writeUInt32LE(length, 4);
  return Buffer.concat([GZIP_HEAD, ...pieces.map(({ deflated }) => deflated), LAST_BLOCK, end]);
}
