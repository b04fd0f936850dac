/**
 * Invented vocabularies, one per script, so that pages read like prose, have the word statistics of prose (a few words
 * are common, most are rare) and can be written in the charsets that the web really uses.
 */
import { randomFor, type WebRandom } from './web-random.js';

/** Which letters words are made of. `latin` is plain ASCII; each other script fills one legacy charset. */
export type Script = 'latin' | 'western' | 'central' | 'cyrillic' | 'japanese';

interface Syllables {
  readonly onsets: readonly string[];
  readonly nuclei: readonly string[];
  readonly codas: readonly string[];
  /** What stands between two words: nothing in Japanese. */
  readonly space: string;
  readonly stop: string;
}

const list = (text: string): string[] => text.split(' ');

const LATIN_ONSETS = list('b br c ch cl d dr f fl g gr h j k l m n p pl qu r s sh sl st t th tr v w');
const SYLLABLES: Record<Script, Syllables> = {
  latin: {
    onsets: LATIN_ONSETS,
    nuclei: list('a e i o u ai ea ee ou'),
    codas: ['', '', '', ...list('l m n r s t nd rk st ck')],
    space: ' ',
    stop: '. ',
  },
  western: {
    onsets: LATIN_ONSETS,
    nuclei: list('a e i o u é è à ü ö ñi ç'.replace('ç', 'ça')),
    codas: ['', '', ...list('l n r s t ß')],
    space: ' ',
    stop: '. ',
  },
  central: {
    onsets: list('b c cz č d g h k l ł m n p r ř s š sz t v w z ž ż'),
    nuclei: list('a e i o u y ą ę ě ó ů á í'),
    codas: ['', '', ...list('k l m n r s t ć ń')],
    space: ' ',
    stop: '. ',
  },
  cyrillic: {
    onsets: list('б в г д ж з к л м н п р с т ф х ц ч ш'),
    nuclei: list('а е и о у ы ю я'),
    codas: ['', '', ...list('й л м н р с т')],
    space: ' ',
    stop: '. ',
  },
  japanese: {
    onsets: list('山 川 海 空 花 森 道 町 人 時 本 語'),
    nuclei: list('か き く さ し す た ち つ な に の は ひ ふ ま み も ら り る'),
    codas: ['', '', ...list('ん い を ー')],
    space: '',
    stop: '。',
  },
};

/** Words by rank: the lower the index, the more common the word. */
export interface Vocabulary {
  readonly script: Script;
  readonly words: readonly string[];
  /** For {@link commonWord}. */
  readonly common: readonly string[];
  readonly space: string;
  readonly stop: string;
}

/** `size` distinct words of one script. Pure: the same seed, script and size give the same words. */
export function createVocabulary(seed: number, script: Script, size: number): Vocabulary {
  const random = randomFor(seed, `vocabulary ${script}`);
  const { onsets, nuclei, codas, space, stop } = SYLLABLES[script];
  const words = new Set<string>();
  for (let tries = 0; words.size < size; tries++) {
    if (tries > size * 100) throw new RangeError(`the script ${script} has no ${size} words`);
    const syllables = random.between(1, 2) + Math.floor(tries / (size * 2)) + (words.size > 2000 ? 1 : 0);
    let word = '';
    for (let i = 0; i < syllables; i++) word += random.pick(onsets) + random.pick(nuclei);
    words.add(word + random.pick(codas));
  }
  const ranked = [...words];
  return { script, words: ranked, common: zipfTable(ranked), space, stop };
}

/** Quantiles of Zipf's law with exponent 1 (the log of the rank is uniform): a table instead of an `exp` a word. */
const QUANTILES = 1 << 14;

function zipfTable(words: readonly string[]): string[] {
  const top = Math.log(words.length);
  return Array.from({ length: QUANTILES }, (_, i) => words[Math.floor(Math.exp((top * (i + 0.5)) / QUANTILES)) - 1]!);
}

/** A word as frequent as its rank says. The rarest words have no quantile of their own; topics bring those in. */
export function commonWord(vocabulary: Vocabulary, random: WebRandom): string {
  return vocabulary.common[random.uint32() >>> 18]!;
}
