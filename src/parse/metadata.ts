/**
 * Title, author and dates as a page declares them for others: Open Graph and plain `meta`, JSON-LD (schema.org).
 */

export interface PageMetadata {
  title?: string;
  description?: string;
  siteName?: string;
  author?: string;
  /** As written, mostly ISO 8601. */
  published?: string;
  modified?: string;
  /** `og:type`, or the type of the first article-like JSON-LD object. */
  type?: string;
}

type Field = keyof PageMetadata;

/** Names of `meta` (by `property`, `name` or `itemprop`) and the field each fills; better sources first in {@link RANK}. */
const META: Readonly<Record<string, Field>> = {
  'og:title': 'title',
  'twitter:title': 'title',
  'dc.title': 'title',
  'og:description': 'description',
  description: 'description',
  'og:site_name': 'siteName',
  'article:author': 'author',
  author: 'author',
  'dc.creator': 'author',
  'article:published_time': 'published',
  datepublished: 'published',
  'dc.date.issued': 'published',
  'dc.date': 'published',
  'article:modified_time': 'modified',
  'og:updated_time': 'modified',
  datemodified: 'modified',
  'og:type': 'type',
};

const MAX_VALUE = 2000;
/** JSON-LD scripts, their size, and objects visited in each: enough for any page that describes itself. */
export const MAX_SCRIPTS = 16;
export const MAX_SCRIPT_BYTES = 256 * 1024;
const MAX_OBJECTS = 2000;

/** Adds what a `meta` says; the first of a kind counts. */
export function addMeta(metadata: PageMetadata, name: string, content: string): void {
  if (!Object.hasOwn(META, name)) return;
  const field = META[name];
  // Facebook wants a profile's URL as the author: no name
  if (field === 'author' && /^https?:/i.test(content)) return;
  metadata[field] ??= content.trim().slice(0, MAX_VALUE) || undefined;
}

/** What describes the page itself, rather than its site, its pictures or its breadcrumbs. */
const PAGE_TYPE = /(?:Article|Posting|Report|WebPage|Product|Recipe|Review|Event|JobPosting|Book|HowTo)$/;

/** Adds what a JSON-LD script says about the page, where `meta` said nothing. Broken JSON is no JSON. */
export function addJsonLd(metadata: PageMetadata, source: string): void {
  let root: unknown;
  try {
    root = JSON.parse(source);
  } catch {
    return;
  }
  const queue: unknown[] = [root];
  for (let next = 0; next < queue.length && next < MAX_OBJECTS; next++) {
    const value = queue[next];
    if (Array.isArray(value)) for (const item of value.slice(0, MAX_OBJECTS)) queue.push(item);
    else if (typeof value === 'object' && value !== null) {
      const object = value as Record<string, unknown>;
      if (typesOf(object).some((type) => PAGE_TYPE.test(type))) addObject(metadata, object);
      for (const key of ['@graph', 'mainEntity', 'mainEntityOfPage']) if (key in object) queue.push(object[key]);
    }
  }
}

function typesOf(object: Record<string, unknown>): string[] {
  const type = object['@type'];
  return (Array.isArray(type) ? type.slice(0, 10) : [type]).filter((name) => typeof name === 'string');
}

function addObject(metadata: PageMetadata, object: Record<string, unknown>): void {
  metadata.title ??= textOf(object.headline) ?? textOf(object.name);
  metadata.description ??= textOf(object.description);
  metadata.author ??= nameOf(object.author);
  metadata.published ??= textOf(object.datePublished);
  metadata.modified ??= textOf(object.dateModified);
  metadata.type ??= typesOf(object)[0];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_VALUE) : undefined;
}

/** A name, an object with one, or several of either. */
function nameOf(value: unknown): string | undefined {
  const several = Array.isArray(value) ? value.slice(0, 20) : [value];
  const names = several
    .map((one) => textOf(typeof one === 'object' && one !== null ? (one as Record<string, unknown>).name : one))
    .filter((name) => name !== undefined);
  return names.length > 0 ? names.join(', ').slice(0, MAX_VALUE) : undefined;
}
