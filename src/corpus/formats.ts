/** The export formats that are one stream of bytes: JSON lines, CSV, WET. */
import { type WarcInfo, WarcWriter } from '../archive/warc-writer.js';
import type { CorpusPage, ExportedPage } from './pages.js';

/** What stands before, for each and after all pages. Empty strings are not written. */
export interface StreamFormat {
  head(): string | Uint8Array;
  page(page: CorpusPage): string | Uint8Array;
  tail(): string | Uint8Array | Promise<string | Uint8Array>;
}

/** Columns in the order of DESIGN 11. */
export const COLUMNS = [
  ...(['url', 'finalUrl', 'fetchedAt', 'status', 'contentType', 'charset', 'language', 'title', 'text'] as const),
  ...(['contentHash', 'simhash', 'depth', 'duplicateOf', 'aiPreferences'] as const),
] satisfies (keyof ExportedPage)[];

/** Control characters that JSON leaves as they are, and a terminal may obey (DEL and C1). */
const STEERING = /[\x7f-\x9f]/g;
const escaped = (character: string): string => `\\u00${character.charCodeAt(0).toString(16)}`;

/** One object on each line, in UTF-8. */
export const jsonLines = (): StreamFormat => ({
  head: () => '',
  page: ({ page }) => `${JSON.stringify(page).replace(STEERING, escaped)}\n`,
  tail: () => '',
});

/**
 * RFC 4180, with a line of names, in UTF-8. A cell that a spreadsheet would take for a formula begins with an
 * apostrophe (OWASP, CSV injection): the text of a page is a stranger's. So are control characters, which CSV has no way
 * to escape: each but tab and line end becomes U+FFFD, or `export --format csv` would let a title steer the terminal.
 */
export const csv = (): StreamFormat => ({
  head: () => `${[...COLUMNS, 'fields'].join(',')}\r\n`,
  page: ({ page }) => {
    const cells = COLUMNS.map((name) => cell(page[name]));
    cells.push(page.fields === undefined ? '' : cell(JSON.stringify(page.fields)));
    return `${cells.join(',')}\r\n`;
  },
  tail: () => '',
});

const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

function cell(value: string | number | null | readonly string[]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : value.join('; ');
  const plain = text.replace(CONTROLS, '\ufffd');
  const safe = /^[=+\-@\t\r\n]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** `conversion` records as Common Crawl's WET files have them, each a gzip member. Pages without text are left out. */
export function wet(fileName: string, info: WarcInfo, now: number): StreamFormat {
  const writer = new WarcWriter(undefined, 6);
  return {
    head: () => writer.info(fileName, now, info),
    page: ({ page, refersTo }) => {
      if (page.text === '' || refersTo === null) return '';
      const { finalUrl: url, text, language } = page;
      return writer.conversion({ url, date: Date.parse(page.fetchedAt), text, refersTo, language: language || null })
        .bytes;
    },
    tail: () => '',
  };
}
