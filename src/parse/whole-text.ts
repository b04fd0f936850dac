/**
 * The whole body of a page without the frame that every page of its site has: what a faithful mirror keeps.
 *
 * Unlike the main text it leaves nothing out by what it looks like: tables of contents, lists of options, lists of links.
 * What goes is what the page itself names as frame: landmarks of HTML and ARIA, buttons and options.
 */
import { Tag } from './elements.js';
import { Hint } from './hints.js';
import { Role } from './roles.js';
import type { PageScan } from './scan.js';
import { BlockFlag, MAX_BLOCKS } from './text-builder.js';

/** Where a row stands (bits). */
const MAIN = 1;
/** In an `article`, or in a `section` of the main part: its navigation and asides are contents and footnotes, not the site's. */
const INNER = 2;
const FRAME = 4;
const HIDDEN = 8;
/** In a `section`, whose header is its own. */
const SECTION = 16;

/** 1 for each block to keep. Where the page has a main part, what is in it; a page that is all frame is kept as it is.
 * @param scan of a page that was read for Markdown (`roles`) */
export function wholeBlocks(scan: PageScan): Uint8Array {
  const { text } = scan;
  const count = Math.min(text.blockCount, MAX_BLOCKS);
  const places = placesOf(scan);
  const at = (block: number): number => places[text.blockRow[block]];
  const unwanted = BlockFlag.button | BlockFlag.option;
  const chosen = new Uint8Array(count);
  const keep = (isKept: (place: number) => boolean): boolean => {
    let any = 0;
    for (let block = 0; block < count; block++) {
      chosen[block] = (text.blockFlags[block] & unwanted) === 0 && isKept(at(block)) ? 1 : 0;
      any |= chosen[block];
    }
    return any === 1;
  };
  // what is hidden in the main part may be a tab that nobody has opened yet
  const isWhole =
    keep((place) => (place & (MAIN | FRAME)) === MAIN) ||
    keep((place) => (place & (FRAME | HIDDEN)) === 0) ||
    keep(() => true);
  return isWhole ? chosen : chosen.fill(1);
}

/** Of each element, whose parent comes before it. */
function placesOf({ elements, roles }: PageScan): Uint8Array {
  const places = new Uint8Array(elements.count);
  for (let row = 1; row < elements.count; row++) {
    const above = places[elements.parent[row]];
    const role = roles?.get(row) ?? Role.none;
    places[row] = above | placeOf(elements.tag[row], role, above) | (elements.hints[row] & Hint.hidden ? HIDDEN : 0);
  }
  return places;
}

function placeOf(tag: number, role: number, above: number): number {
  const isInner = (above & INNER) !== 0;
  if (role === Role.main || tag === Tag.main) return MAIN | (tag === Tag.article ? INNER : 0);
  if (role === Role.frame && !isInner) return FRAME;
  switch (tag) {
    case Tag.article:
      return INNER;
    case Tag.section:
      return SECTION | (above & MAIN ? INNER : 0);
    case Tag.nav:
      return isInner ? 0 : FRAME;
    case Tag.aside:
    case Tag.header:
      return isInner || above & (MAIN | SECTION) ? 0 : FRAME;
    case Tag.footer:
      return isInner || above & MAIN ? 0 : FRAME;
  }
  return 0;
}
