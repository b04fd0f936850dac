/**
 * Prose and pages of the synthetic webs: topics, sentences, paragraphs, and one plain HTML layout.
 *
 * Everything is a pure function of the generator it is given; see `web-random.ts`.
 */
import type { WebRandom } from './web-random.js';
import { commonWord, type Vocabulary } from './web-words.js';

/** Sentences for scripts with English grammar words; N, A and V stand for words of the vocabulary. */
const PATTERNS = [
  'the A N V the N of the N',
  'a N near the N V every A N',
  'in the N a A N V and the N V',
  'every N that V the A N must V',
  'when the N V , the A N V with a N',
  'no N has ever V such a A N',
  'they V the N from N to N',
  'this N is A and that N is A',
  'between the N and the N lies a A N',
  'who V the N may V the A N of N',
].map((pattern) => pattern.split(' '));

/** Words that one page keeps coming back to. */
export type Topic = readonly string[];

/** The `count` words of a topic, drawn evenly from the whole vocabulary, rare words included. */
export function drawTopic(vocabulary: Vocabulary, random: WebRandom, count = 80): Topic {
  return Array.from({ length: count }, () => random.pick(vocabulary.words));
}

/**
 * One sentence with its full stop and a trailing space where the script has one.
 * @param mark may put markup around a word
 */
export function sentence(
  vocabulary: Vocabulary,
  topic: Topic,
  random: WebRandom,
  mark: (word: string) => string = plain,
): string {
  const word = () => (random.chance(0.45) ? random.pick(topic) : commonWord(vocabulary, random));
  if (vocabulary.script !== 'latin') {
    let text = capital(word());
    for (let rest = random.between(5, 13); rest > 0; rest--) text += vocabulary.space + mark(word());
    return text + vocabulary.stop;
  }
  let text = '';
  for (const token of random.pick(PATTERNS)) {
    if (text === '') text = capital(token === 'N' ? word() : token);
    else if (token === ',') text += token;
    else text += token === 'N' || token === 'A' || token === 'V' ? ` ${mark(word())}` : ` ${token}`;
  }
  return text + vocabulary.stop;
}

const plain = (word: string): string => word;

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** One paragraph of `sentences` sentences, without markup. */
export function paragraph(vocabulary: Vocabulary, topic: Topic, random: WebRandom, sentences: number): string {
  let text = '';
  for (let i = 0; i < sentences; i++) text += sentence(vocabulary, topic, random);
  return text.trimEnd();
}

/** Two to four words, capitalised: a title or the text of a link. */
export function heading(vocabulary: Vocabulary, topic: Topic, random: WebRandom): string {
  const words = Array.from({ length: random.between(2, 4) }, () => random.pick(topic));
  return words.map(capital).join(vocabulary.space);
}

export interface PageLink {
  readonly href: string;
  readonly text: string;
  readonly rel?: string;
}

/** What a page of the demo or the kill web says. Texts are plain; the layout escapes them. */
export interface PageContent {
  readonly title: string;
  /** The `lang` attribute. */
  readonly language: string;
  /** Named in a `<meta charset>`; absent where only the header tells it. */
  readonly charset?: string;
  /** Extra elements of the head, as markup: meta robots, canonical. */
  readonly head?: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly PageLink[];
}

/** Escapes text for element content and double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The page as HTML: navigation, an article with its links, a footer. */
export function layoutPage(page: PageContent): string {
  const links = page.links.map(
    ({ href, text, rel }) =>
      `<li><a href="${escapeHtml(href)}"${rel === undefined ? '' : ` rel="${rel}"`}>${escapeHtml(text)}</a></li>`,
  );
  return [
    '<!DOCTYPE html>',
    `<html lang="${page.language}"><head>`,
    page.charset === undefined ? '' : `<meta charset="${page.charset}">`,
    `<title>${escapeHtml(page.title)}</title>${page.head ?? ''}`,
    '</head><body>',
    `<main><article><h1>${escapeHtml(page.title)}</h1>`,
    ...page.paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    '</article></main>',
    `<nav><ul>${links.join('\n')}</ul></nav>`,
    '</body></html>',
    '',
  ].join('\n');
}
