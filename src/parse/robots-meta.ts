/**
 * What a page says to robots about itself: `meta robots`, `meta <agent>`, X-Robots-Tag.
 *
 * Sources: the robots meta tag and X-Robots-Tag as Google, Bing and Yandex document them (no standard exists). All rules
 * that apply to us add up, and the stricter of two that contradict each other wins.
 */

export interface PageRobots {
  /** False: keep the page out of indexes and exports. */
  index: boolean;
  /** False: follow none of its links. */
  follow: boolean;
  /** False: show no cached copy. */
  archive: boolean;
  /** False: show no excerpt. */
  snippet: boolean;
  /** False: do not index its images. */
  imageIndex: boolean;
  /** Longest excerpt in characters; -1 or null: no limit. */
  maxSnippet: number | null;
  maxImagePreview: string | null;
  /** Seconds; -1 or null: no limit. */
  maxVideoPreview: number | null;
  /** Milliseconds since 1970 after which the page is `noindex`; the caller knows what time it is. */
  unavailableAfter: number | null;
}

export function defaultRobots(): PageRobots {
  return {
    index: true,
    follow: true,
    archive: true,
    snippet: true,
    imageIndex: true,
    maxSnippet: null,
    maxImagePreview: null,
    maxVideoPreview: null,
    unavailableAfter: null,
  };
}

/** Directives that have a value after a colon: never to be taken for an agent's name. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);
const MAX_LENGTH = 4096;

/** Adds the directives of a `content` or header value to `robots`. Words of AI opt-outs (`noai`, `noimageai`) go to `ai`. */
export function applyDirectives(robots: PageRobots, content: string, ai: string[]): void {
  for (const item of splitItems(content)) applyItem(robots, item, ai);
}

/** Adds one X-Robots-Tag header. `bot: rules` counts only if `bot` is `agent` (a product token, compared without case);
 * a bot's name governs what follows it up to the next name. */
export function applyRobotsTag(robots: PageRobots, header: string, agent: string | undefined, ai: string[]): void {
  let applies = true;
  for (const item of splitItems(header)) {
    const colon = item.indexOf(':');
    const name = colon < 0 ? '' : item.slice(0, colon).trim().toLowerCase();
    if (colon < 0 || VALUED.has(name)) {
      if (applies) applyItem(robots, item, ai);
      continue;
    }
    applies = name === '*' || (agent !== undefined && name === agent.toLowerCase());
    if (applies) applyItem(robots, item.slice(colon + 1), ai);
  }
}

/** Items between commas; a date with a comma of its own ("Friday, 25-Jun-10") stays whole. */
function splitItems(content: string): string[] {
  const items: string[] = [];
  for (const part of content.slice(0, MAX_LENGTH).split(',')) {
    const last = items.at(-1);
    const isRestOfDate =
      last !== undefined && /unavailable_after\s{0,9}:\s{0,9}[a-z]{3,9}$/i.test(last) && /^\s{0,9}\d/.test(part);
    if (isRestOfDate) items[items.length - 1] = `${last},${part}`;
    else items.push(part.trim());
  }
  return items;
}

function applyItem(robots: PageRobots, item: string, ai: string[]): void {
  const colon = item.indexOf(':');
  if (colon >= 0) {
    applyValued(robots, item.slice(0, colon).trim().toLowerCase(), item.slice(colon + 1).trim());
    return;
  }
  for (const word of item.toLowerCase().split(/[\s;]+/)) {
    switch (word) {
      case 'none':
        robots.index = robots.follow = false;
        break;
      case 'noindex':
        robots.index = false;
        break;
      case 'nofollow':
        robots.follow = false;
        break;
      case 'noarchive':
      case 'nocache':
        robots.archive = false;
        break;
      case 'nosnippet':
        robots.snippet = false;
        break;
      case 'noimageindex':
        robots.imageIndex = false;
        break;
      case 'noai':
      case 'noimageai':
        if (!ai.includes(word)) ai.push(word);
        break;
    }
  }
}

function applyValued(robots: PageRobots, name: string, value: string): void {
  switch (name) {
    case 'max-snippet':
      robots.maxSnippet = stricter(robots.maxSnippet, value);
      break;
    case 'max-video-preview':
      robots.maxVideoPreview = stricter(robots.maxVideoPreview, value);
      break;
    case 'max-image-preview':
      robots.maxImagePreview = value.toLowerCase();
      break;
    case 'unavailable_after': {
      const time = parseDate(value);
      if (time !== null) robots.unavailableAfter = Math.min(time, robots.unavailableAfter ?? time);
      break;
    }
  }
}

function stricter(current: number | null, value: string): number | null {
  if (!/^-?\d{1,9}$/.test(value)) return current;
  const limit = Number(value);
  if (current === null || current < 0) return limit;
  return limit < 0 ? current : Math.min(current, limit);
}

/** RFC 822, RFC 850 and ISO 8601 dates; a time without a zone is UTC, so that the answer does not depend on the machine. */
function parseDate(value: string): number | null {
  if (value.length > 100) return null;
  const rfc850 = /^(?:[a-z]+, *)?(\d{1,2})-([a-z]{3})-(\d{2,4})(.*)$/i.exec(value);
  const text = rfc850
    ? `${rfc850[1]} ${rfc850[2]} ${rfc850[3].length === 2 ? `20${rfc850[3]}` : rfc850[3]}${rfc850[4]}`
    : value;
  const zoned = /(?:z|gmt|utc?|[ecmp][sd]t|[+-]\d\d:?\d\d)\)?$/i.test(text);
  const isoDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text);
  const time = Date.parse(zoned || isoDate ? text : isoTime ? `${text}Z` : `${text} UTC`);
  return Number.isNaN(time) ? null : time;
}
