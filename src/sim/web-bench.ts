/**
 * The web of the bench: 2,000 hosts of 10 pages each. Pages are written and compressed once, before anything is
 * measured, and then served from memory (20,000 pages: about 450 MB).
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { hammingDistance, type Simhash, simhash } from '../dedupe/simhash.js';
import { drawTopic } from './pages.js';
import { hostNamer, plainAnswer, type SyntheticWeb, urlAt, type WebAnswer, type WebPlace } from './web.js';
import { benchPage } from './web-bench-pages.js';
import { randomFor, type WebRandom } from './web-random.js';
import { createVocabulary } from './web-words.js';

export interface BenchWebOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
}

/** What the pages are like: means, so that anyone can judge what the bench's numbers are worth. */
export interface BenchFigures {
  pages: number;
  /** Mean bytes of HTML. */
  bytes: number;
  /** Mean bytes as sent. */
  gzipBytes: number;
  /** Fewest anchors and fewest start tags on any page of a sample: one page in {@link SAMPLE}. */
  anchors: number;
  tags: number;
  /** Mean characters of text on a page of the sample, scripts and styles left out. */
  text: number;
  /** Different words in the sample. */
  words: number;
  /** Fewest simhash bits between two pages of the sample. */
  distance: number;
}

const VOCABULARY_SIZE = 24_000;
/** Words that one page keeps coming back to: they decide how well it compresses. */
const TOPIC = 120;
/** Links on a page: to this many pages of the own host and elsewhere. */
const OWN_LINKS = 90;
const FAR_LINKS = 50;
/** Pages being compressed at once; zlib has threads of its own. */
const WINDOW = 8;
const SAMPLE = 10;

const compress = promisify(gzip);
const ROBOTS = plainAnswer('robots', 200, 'text/plain; charset=utf-8', 'User-agent: *\nDisallow: /private/\n');
const MISSING = plainAnswer('missing', 404, 'text/plain', 'no such page\n');

const pagePath = (page: number): string => (page === 0 ? '/' : `/articles/${page}.html`);

/** Writes all pages; takes about 2 ms of CPU a page. Seeds are the home pages. */
export async function createBenchWeb(
  options: BenchWebOptions,
  place: WebPlace,
): Promise<SyntheticWeb & { figures: BenchFigures }> {
  const { hosts, pages, seed } = options;
  const name = hostNamer(place);
  const names = Array.from({ length: hosts }, (_, index) => name(`site-${index}`));
  const vocabulary = createVocabulary(seed, 'latin', VOCABULARY_SIZE);
  const answers = new Map<string, WebAnswer>(names.map((host) => [`${host}/robots.txt`, ROBOTS]));
  const sample: Sample = { words: new Set(), fingerprints: [] };
  const figures = {
    pages: hosts * pages,
    bytes: 0,
    gzipBytes: 0,
    anchors: Infinity,
    tags: Infinity,
    text: 0,
    words: 0,
    distance: 64,
  };
  const write = async (index: number) => {
    const host = Math.floor(index / pages);
    const random = randomFor(seed, `bench ${index}`);
    const page = benchPage(
      vocabulary,
      drawTopic(vocabulary, random, TOPIC),
      random,
      benchLinks(names, pages, host, random, place),
    );
    const body = await compress(page, { level: 4 });
    answers.set(names[host]! + pagePath(index % pages), {
      ...plainAnswer('page', 200, 'text/html; charset=utf-8', body, { 'Content-Encoding': 'gzip' }),
    });
    figures.bytes += page.length;
    figures.gzipBytes += body.length;
    if (index % SAMPLE === 0) count(figures, sample, page);
  };
  let next = 0;
  const lane = async () => {
    while (next < figures.pages) await write(next++);
  };
  await Promise.all(Array.from({ length: WINDOW }, lane));
  return {
    figures: {
      ...figures,
      bytes: figures.bytes / figures.pages,
      gzipBytes: figures.gzipBytes / figures.pages,
      text: Math.round(figures.text / Math.ceil(figures.pages / SAMPLE)),
      words: sample.words.size,
      distance: closest(sample.fingerprints),
    },
    seeds: names.map((host) => urlAt(place, host, '/')),
    hosts: names,
    down: [],
    answer: ({ host, target }) => answers.get(host + target) ?? MISSING,
    reachable: () =>
      names.flatMap((host) => Array.from({ length: pages }, (_, page) => urlAt(place, host, pagePath(page)))).sort(),
  };
}

/** The hrefs of one page: every page of its own host first, then a mixture. */
function benchLinks(
  names: readonly string[],
  pages: number,
  host: number,
  random: WebRandom,
  place: WebPlace,
): string[] {
  const links = Array.from({ length: pages }, (_, page) => pagePath(page));
  while (links.length < OWN_LINKS) links.push(pagePath(random.below(pages)));
  for (let i = 0; i < FAR_LINKS; i++) {
    const far = random.chance(0.2) ? host : random.below(names.length);
    links.push(urlAt(place, names[far]!, pagePath(random.below(pages))));
  }
  return links;
}

interface Sample {
  readonly words: Set<string>;
  readonly fingerprints: Simhash[];
}

/** Adds one page of the sample to the figures. */
function count(figures: BenchFigures, sample: Sample, html: string): void {
  figures.anchors = Math.min(figures.anchors, html.split('<a ').length - 1);
  figures.tags = Math.min(figures.tags, html.match(/<[a-z]/g)!.length);
  const visible = html.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ');
  const text = visible.replace(/\s+/g, ' ').toLowerCase();
  figures.text += text.length;
  for (const [word] of text.matchAll(/[a-z]+/g)) sample.words.add(word);
  const fingerprint = simhash(text);
  if (fingerprint !== null) sample.fingerprints.push(fingerprint);
}

/** The fewest bits by which two fingerprints differ: every pair is tried. */
function closest(fingerprints: readonly Simhash[]): number {
  let fewest = 64;
  for (let i = 0; i < fingerprints.length; i++) {
    for (let j = 0; j < i; j++) fewest = Math.min(fewest, hammingDistance(fingerprints[i]!, fingerprints[j]!));
  }
  return fewest;
}
