/** Globs over whole normal URLs: `*` is any run of characters, everything else is itself. */

/** Longest glob, in characters. */
export const LONGEST_GLOB = 1_000;

/**
 * A matcher that never goes back: the text before the first `*` must open the URL, the text after the last one must
 * close it, and each text between is taken where it first occurs, which is right because a `*` follows it.
 */
export function compileGlob(glob: string): (url: string) => boolean {
  // Scheme and host of a normal URL are lower case, so those of a glob may be written as one likes.
  const origin = /^https?:\/\/[^/]*/i.exec(glob)?.[0] ?? '';
  const [first, ...rest] = (origin.toLowerCase() + glob.slice(origin.length)).split('*');
  if (rest.length === 0) return (url) => url === first;
  const last = rest.pop()!;
  const middle = rest.filter((text) => text !== '');
  return (url) => {
    const end = url.length - last.length;
    if (end < first.length || !url.startsWith(first) || !url.endsWith(last)) return false;
    let at = first.length;
    for (const text of middle) {
      const found = url.indexOf(text, at);
      if (found < 0 || found + text.length > end) return false;
      at = found + text.length;
    }
    return true;
  };
}
