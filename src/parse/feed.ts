/** The words of a feed (RSS 0.9 to 2.0, RFC 4287): its title, and title and summary of each entry. */
import { decodeXML } from 'entities/decode';

export interface Feed {
  title: string;
  language: string;
  entries: { title: string; summary: string }[];
}

/** The name of a document's root without its prefix, in lower case; empty for what is no XML. */
export function xmlRoot(source: string): string {
  let p = 0;
  for (;;) {
    const open = source.indexOf('<', p);
    if (open < 0) return '';
    const next = source[open + 1];
    if (next !== '?' && next !== '!') {
      const name = /^[\w.:-]{1,100}/.exec(source.slice(open + 1, open + 101))?.[0] ?? '';
      return name.slice(name.indexOf(':') + 1).toLowerCase();
    }
    const end = endOfMarkup(source, open);
    if (end < 0) return '';
    p = end;
  }
}

/** Which element is which field; the names of other prefixes are passed over. */
const FIELDS: Readonly<Record<string, 'title' | 'summary' | 'content' | 'language'>> = {
  title: 'title',
  'atom:title': 'title',
  description: 'summary',
  summary: 'summary',
  subtitle: 'summary',
  'atom:summary': 'summary',
  content: 'content',
  'atom:content': 'content',
  'content:encoded': 'content',
  language: 'language',
  'dc:language': 'language',
};
const ENTRIES = new Set(['item', 'entry', 'rss:item', 'atom:entry']);
const MAX_ENTRIES = 10_000;
const MAX_FIELD = 100_000;

type Fields = { [name in 'title' | 'summary' | 'content' | 'language']?: string };

/** Reads a feed as far as it goes; never throws, linear. `plain` makes text of HTML. */
export function readFeed(source: string, plain: (html: string) => string): Feed {
  const feed: Feed = { title: '', language: '', entries: [] };
  const channel: Fields = {};
  let entry: Fields | null = null;
  let open: { tag: string; field: keyof Fields } | null = null;
  let value = '';
  const endEntry = (): void => {
    if (entry === null) return;
    const summary = entry.summary ?? entry.content ?? '';
    feed.entries.push({ title: plain(entry.title ?? ''), summary: plain(summary) });
    entry = null;
  };
  const append = (text: string): void => {
    if (open !== null && value.length < MAX_FIELD) value += text;
  };
  for (let p = 0; p < source.length && feed.entries.length < MAX_ENTRIES; ) {
    const lt = source.indexOf('<', p);
    if (open !== null) append(decodeXML(source.slice(p, Math.min(lt < 0 ? source.length : lt, p + MAX_FIELD))));
    if (lt < 0) break;
    const end = endOfMarkup(source, lt);
    if (source.startsWith('<![CDATA[', lt)) append(source.slice(lt + 9, end < 0 ? undefined : end - 3));
    if (end < 0) break;
    p = end;
    const isEnd = source[lt + 1] === '/';
    const tag = /^[\w.:-]{1,100}/.exec(source.slice(lt + (isEnd ? 2 : 1), lt + 102))?.[0].toLowerCase();
    if (tag === undefined) continue;
    if (open !== null) {
      if (isEnd && tag === open.tag) {
        (entry ?? channel)[open.field] ??= value;
        open = null;
      } else append(' '); // markup inside a field (XHTML)
    } else if (ENTRIES.has(tag)) {
      endEntry();
      if (!isEnd) entry = {};
    } else if (!isEnd && source[end - 2] !== '/' && Object.hasOwn(FIELDS, tag)) {
      open = { tag, field: FIELDS[tag] };
      value = '';
    }
  }
  endEntry();
  feed.title = plain(channel.title ?? '');
  feed.language = (channel.language ?? '').trim();
  return feed;
}

/** Where the markup that begins at `open` ends; -1 if it does not. */
function endOfMarkup(source: string, open: number): number {
  const close = source.startsWith('<!--', open)
    ? '-->'
    : source.startsWith('<![CDATA[', open)
      ? ']]>'
      : source[open + 1] === '?'
        ? '?>'
        : '>';
  const at = source.indexOf(close, open + 2);
  return at < 0 ? -1 : at + close.length;
}
