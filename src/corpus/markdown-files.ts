/** The export as Markdown: a folder for each host, a file for each page, with the page's facts before its text. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHtml } from '../parse/documents.js';
import { parsePage } from '../parse/page.js';
import { sniffType } from '../parse/sniff.js';
import { parseUrl } from '../parse-url.js';
import type { Normalizer } from '../url/normalize.js';
import type { ArchiveReader } from './archive-reader.js';
import { BODY_CAPS } from './bodies.js';
import { COLUMNS } from './formats.js';
import type { CorpusPage, ExportedPage } from './pages.js';

/** Names that Windows keeps for devices, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$/;
const MAX_WORDS = 80;
const MAX_HOST = 120;

/**
 * A file's place: `host/words-of-the-path-0123456789.md`. Lower-case letters of ASCII, digits, `-`, `_` and `.` only, so
 * that the name is the same on every system; the digits are the URL's own, so that names never meet and never change.
 */
export function filePath(url: string): [folder: string, name: string] {
  const { host, pathname, search } = new URL(url);
  const words = slug(decoded(pathname.replace(/\.(?:x?html?|php|aspx?)$/i, '') + search));
  const digits = createHash('sha256').update(url).digest('hex').slice(0, 10);
  return [folderOf(host), `${words === '' ? 'index' : words}-${digits}.md`];
}

/** `[::1]:8080` becomes `__1__8080`: what is no letter, digit, dot or hyphen is `_`. */
function folderOf(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '_')
    .replace(/^[.]+|[.]+$/g, '_')
    .slice(0, MAX_HOST);
  return DEVICES.test(name.split('.', 1)[0]) ? `_${name}` : name;
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, MAX_WORDS + 1)
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_WORDS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface MarkdownStyle {
  /** `main`: the main text; `whole`: all but the frame that every page of a site has (`parse/whole-text.ts`). */
  text: 'main' | 'whole';
  /** `full`: every fact of a page; `lean`: its title, URL, time and language. */
  frontMatter: 'full' | 'lean';
}

export const PLAIN_MARKDOWN: MarkdownStyle = { text: 'main', frontMatter: 'full' };

/** Writes pages into a folder. Of each page its normal form and its file stay in memory, some 300 bytes, until it is known
 * which links lead to another file. */
export class MarkdownFiles {
  readonly #folder: string;
  readonly #archive: ArchiveReader;
  readonly #normalizer: Normalizer;
  readonly #style: MarkdownStyle;
  readonly #made = new Set<string>();
  /** By normal form: the file of a page, `host/name.md`. */
  readonly #files = new Map<string, string>();
  /** Files with links in them. */
  readonly #linking: string[] = [];

  constructor(folder: string, archive: ArchiveReader, normalizer: Normalizer, style = PLAIN_MARKDOWN) {
    this.#folder = folder;
    this.#archive = archive;
    this.#normalizer = normalizer;
    this.#style = style;
  }

  async add(page: CorpusPage): Promise<void> {
    const [host, name] = filePath(page.page.url);
    const folder = join(this.#folder, host);
    if (!this.#made.has(host)) mkdirSync(folder, { recursive: true });
    this.#made.add(host);
    const body = await this.#body(page);
    writeFileSync(join(folder, name), `${frontMatter(page.page, this.#style)}${BODY}${body}\n`);
    this.#files.set(this.#formOf(page.page.url), `${host}/${name}`);
    if (body.includes('](')) this.#linking.push(`${host}/${name}`);
  }

  /** Once all pages are there, links from one to another lead from file to file. */
  link(): void {
    for (const file of this.#linking) {
      const path = join(this.#folder, file);
      const text = readFileSync(path, 'utf8');
      const body = text.indexOf(`---\n${BODY}`, 4) + 4;
      const linked = relativeLinks(text.slice(body), file, (url) => this.#files.get(this.#formOf(url)));
      if (linked !== text.slice(body)) writeFileSync(path, text.slice(0, body) + linked);
    }
  }

  #formOf(url: string): string {
    return this.#normalizer.normalize(url).url ?? url;
  }

  /** A page that repeats another leads to it: by its main text; where the whole is asked for, one of the very same bytes, for
   * the rest of a page may differ. */
  async #body(page: CorpusPage): Promise<string> {
    const { duplicateOf, text } = page.page;
    const isWhole = this.#style.text === 'whole';
    const body = text !== '' || isWhole ? await this.#markdown(page) : '';
    return body === '' && duplicateOf !== null ? sameAs(duplicateOf) : body;
  }

  /** The text as Markdown: a page of HTML is read once more; what is no HTML is its plain text. */
  async #markdown({ page, record }: CorpusPage): Promise<string> {
    if (record === null) return page.text;
    const archived = await this.#archive.body(record, BODY_CAPS); // none of one that came byte for byte before
    const contentType = page.contentType === '' ? null : page.contentType;
    if (archived === null || !isHtml(sniffType(contentType, archived.body))) return page.text;
    const input = { body: archived.body, url: page.finalUrl, contentType: page.contentType };
    const { markdown = '', base } = parsePage(input, { markdown: this.#style.text === 'whole' ? 'whole' : true });
    return absoluteLinks(markdown, base) || page.text;
  }
}

/** A file is read apart from its site: link targets become absolute. */
export function absoluteLinks(markdown: string, base: string): string {
  return mapLinks(markdown, (href) => parseUrl(href, base)?.href);
}

/** Absolute link targets that are files of ours become relative.
 * @param from the file that they stand in, `host/name.md`
 * @param fileOf of a URL, in the same way */
export function relativeLinks(markdown: string, from: string, fileOf: (url: string) => string | undefined): string {
  const [host] = from.split('/', 1);
  return mapLinks(markdown, (href) => {
    const url = /^https?:/i.test(href) ? parseUrl(href) : null;
    const file = url === null ? undefined : fileOf(url.href);
    if (file === undefined) return undefined;
    return (file.startsWith(`${host}/`) ? file.slice(host.length + 1) : `../${file}`) + url!.hash;
  });
}

/** Gives link targets another value, where there is one. Code, in spans and fences, stays as it is. */
function mapLinks(markdown: string, to: (href: string) => string | undefined): string {
  let fence = '';
  const lines = markdown.split('\n').map((line) => {
    const mark = /^[\s>]*(?:(?:[-*]|\d+\.)\s+)*(`{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark === fence) fence = '';
    else if (fence === '' && line.includes('](')) return linkTargets(line, to);
    return line;
  });
  return lines.join('\n');
}

/** Brackets of the text itself are escaped, so that an unescaped one ends a label. */
const linkTargets = (line: string, to: (href: string) => string | undefined): string =>
  line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\\)\]\((<[^<>]*>|[^\s()<>]*)\)/g, (whole, ticks, target) => {
    if (ticks !== undefined) return whole;
    const other = to(target.startsWith('<') ? target.slice(1, -1) : target);
    if (other === undefined) return whole;
    return /[()]/.test(other) ? `](<${other}>)` : `](${other})`;
  });

/** What stands between the facts and the text. */
const BODY = '\n';

const sameAs = (url: string): string => `The same as [${url.replace(/[\\[\]]/g, '\\$&')}](<${url}>).`;

const LEAN: readonly (keyof ExportedPage)[] = ['title', 'url', 'fetchedAt', 'language'];

/** The page's facts as YAML: each value is JSON, which YAML 1.2 includes. */
function frontMatter(page: ExportedPage, style: MarkdownStyle): string {
  const isLean = style.frontMatter === 'lean';
  const names = isLean ? LEAN : COLUMNS.filter((name) => name !== 'text');
  const lines = names.map((name) => `${name}: ${JSON.stringify(page[name])}`);
  if (page.fields !== undefined && !isLean) lines.push(`fields: ${JSON.stringify(page.fields)}`);
  return `---\n${lines.join('\n')}\n---\n`;
}
