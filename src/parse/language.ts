/**
 * The language of a text, from its first 1,000 characters.
 *
 * Most scripts are one language's, or name a few that their letters tell apart. For the others (Latin, Cyrillic, Arabic,
 * Devanagari) the words' n-grams are looked up in a table (language-model.ts) of half a megabyte, a third of which is made
 * on first use. Pure; linear; bounded by the sample.
 */
import { LanguageTable } from './language-table.js';

/** Characters of a text that are read, and the fewest letters that tell anything. */
const SAMPLE = 1000;
const FEWEST_LETTERS = 24;

/** Scripts by the code units they are made of. Those of `GRAMS` have many languages. */
const RANGES: readonly (readonly [from: number, to: number, script: string])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x370, 0x3ff, 'el'],
  [0x400, 0x52f, 'cyrillic'],
  [0x531, 0x587, 'hy'],
  [0x5d0, 0x5f2, 'he'],
  [0x620, 0x6ff, 'arabic'],
  [0x710, 0x74a, 'syr'],
  [0x750, 0x77f, 'arabic'],
  [0x780, 0x7b1, 'dv'],
  [0x904, 0x97f, 'devanagari'],
  [0x985, 0x9df, 'bn'],
  [0xa05, 0xa74, 'pa'],
  [0xa85, 0xadf, 'gu'],
  [0xb05, 0xb71, 'or'],
  [0xb85, 0xbbf, 'ta'],
  [0xc05, 0xc61, 'te'],
  [0xc85, 0xce1, 'kn'],
  [0xd05, 0xd7f, 'ml'],
  [0xd85, 0xdc6, 'si'],
  [0xe01, 0xe4e, 'th'],
  [0xe81, 0xedf, 'lo'],
  [0xf40, 0xfbc, 'bo'],
  [0x1000, 0x109f, 'my'],
  [0x10d0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1200, 0x137f, 'am'],
  [0x13a0, 0x13f4, 'chr'],
  [0x1401, 0x167f, 'iu'],
  [0x1780, 0x17dd, 'km'],
  [0x1820, 0x1877, 'mn'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'el'],
  [0x3041, 0x30ff, 'ja'],
  [0x3400, 0x4dbf, 'zh'],
  [0x4e00, 0x9fff, 'zh'],
  [0xac00, 0xd7a3, 'ko'],
  [0xfb50, 0xfefc, 'arabic'],
];
const SCRIPTS = ['', ...new Set(RANGES.map(([, , script]) => script))];
const scriptOf = new Uint8Array(0x10000);
for (const [from, to, script] of RANGES) scriptOf.fill(SCRIPTS.indexOf(script), from, to + 1);
scriptOf[0xd7] = scriptOf[0xf7] = 0;
const LATIN = SCRIPTS.indexOf('latin');
const HAN = SCRIPTS.indexOf('zh');
const KANA = SCRIPTS.indexOf('ja');
const HANGUL = SCRIPTS.indexOf('ko');

/** Languages of each script that has several, as far as the table tells them apart. */
const GRAMS: Readonly<Record<string, readonly string[]>> = {
  latin: 'az ca cs da de en es et eu fi fr hr hu is it lt lv ms nl no pl pt ro sk sl sq sv tl tr vi yo'.split(' '),
  cyrillic: 'be bg ru sr uk'.split(' '),
  arabic: 'ar fa ku ur'.split(' '),
  devanagari: 'hi mr'.split(' '),
};

/** Declared languages that the table calls by another's name, or takes for it: then the declared one is right. */
const TAKEN_FOR: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', sr: 'hr', fil: 'tl', ckb: 'ku', fas: 'fa' };
/** Codes that were withdrawn. */
const RENAMED: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', mo: 'ro' };

/** By how much a text must speak against the language that its page declares. */
const DOUBT = 1.08;

/**
 * ISO 639 code of the language of `text`, or an empty string.
 * @param declared what the page says (`en-GB`, or anything else), or null. It is believed where the text tells too little,
 * and where it names a language that is not told from its neighbours here (Galician, Indonesian).
 */
export function detectLanguage(text: string, declared: string | null): string {
  const hint = declaredLanguage(declared);
  const sample = text.slice(0, SAMPLE);
  const script = scriptOfText(sample);
  if (script === 0) return hint.language;
  const name = SCRIPTS[script];
  const candidates = GRAMS[name];
  if (candidates === undefined) return hint.scripts.includes(name) ? hint.language : name;
  const isKnown = candidates.includes(hint.language);
  if (hint.scripts.includes(name) && !isKnown && TAKEN_FOR[hint.language] === undefined) return hint.language;
  const table = languageTable();
  table.read(sample.toLowerCase(), scriptOf, script);
  let best = '';
  for (const language of candidates) if (table.scoreOf(language) > table.scoreOf(best)) best = language;
  if (best === '' || TAKEN_FOR[hint.language] === best) return hint.language;
  return isKnown && table.scoreOf(hint.language) * DOUBT >= table.scoreOf(best) ? hint.language : best;
}

/** Which script most letters are of; 0 if there are too few. Ideographs are whole words: each counts for three letters. */
function scriptOfText(text: string): number {
  const counts = new Int32Array(SCRIPTS.length);
  for (let i = 0; i < text.length; i++) counts[scriptOf[text.charCodeAt(i)]]++;
  counts[0] = 0;
  const east = counts[HAN] + counts[KANA] + counts[HANGUL];
  if (east > 0) {
    // Japanese is kana and ideographs, Korean may have some: the letters that only one of them has decide
    const script = counts[KANA] * 12 >= east ? KANA : counts[HANGUL] * 4 >= east ? HANGUL : HAN;
    counts[HAN] = counts[KANA] = counts[HANGUL] = 0;
    counts[script] = east * 3;
  }
  let most = LATIN;
  for (let script = 1; script < counts.length; script++) if (counts[script] > counts[most]) most = script;
  return counts[most] < FEWEST_LETTERS ? 0 : most;
}

interface Declared {
  /** In lower case, without region and script; empty if nothing that is a language was declared. */
  language: string;
  /** Names (see `SCRIPTS`) of the scripts in which it is usually written. */
  scripts: readonly string[];
}

const NOTHING: Declared = { language: '', scripts: [] };
/** Few values are used on the whole web: they are remembered. */
const remembered = new Map<string, Declared>();

function declaredLanguage(value: string | null): Declared {
  if (value === null || value === '' || value.length > 40) return NOTHING;
  let known = remembered.get(value);
  if (known === undefined) {
    known = readDeclared(value.trim().replaceAll('_', '-').toLowerCase());
    if (remembered.size < 1000) remembered.set(value, known);
  }
  return known;
}

function readDeclared(tag: string): Declared {
  const [primary] = tag.split('-', 1);
  if (!/^[a-z]{2,3}$/.test(primary)) return NOTHING;
  try {
    const { script } = new Intl.Locale(tag).maximize();
    const language = RENAMED[primary] ?? primary;
    return script === undefined ? NOTHING : { language, scripts: SCRIPTS.filter((name) => CODES[name] === script) };
  } catch {
    return NOTHING;
  }
}

/** ISO 15924 code of each script: those that are called by a language are the ones it is written in. */
const CODES: Readonly<Record<string, string | undefined>> = {
  latin: 'Latn',
  cyrillic: 'Cyrl',
  arabic: 'Arab',
  devanagari: 'Deva',
  ...Object.fromEntries(
    SCRIPTS.filter((name) => name.length === 2 || name === 'syr' || name === 'chr').map((name) => [
      name,
      new Intl.Locale(name).maximize().script,
    ]),
  ),
};

let loaded: LanguageTable | undefined;
const languageTable = (): LanguageTable => (loaded ??= new LanguageTable());
