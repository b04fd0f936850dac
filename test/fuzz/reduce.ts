/** Makes the case that broke a promise small: fast-check shrinks the choices it was made by, this its long strings. */

/** Strings shorter than this are small enough. */
const SHORT = 24;

/**
 * A case as small as it was got that still fails.
 * @param fails whether a case breaks a promise
 * @param goesOn asked before each try; false ends the search
 */
export async function reduced<Case>(
  input: Case,
  fails: (input: Case) => Promise<boolean>,
  goesOn: () => boolean,
): Promise<Case> {
  if (typeof input === 'string') return (await shorter(input, (text) => fails(text as Case), goesOn)) as Case;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return input;
  let small = input;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'string') continue;
    const text = await shorter(value, (candidate) => fails({ ...small, [name]: candidate }), goesOn);
    small = { ...small, [name]: text };
  }
  return small;
}

/** Takes out pieces, large ones first, as long as what is left fails (delta debugging). */
async function shorter(
  text: string,
  fails: (text: string) => Promise<boolean>,
  goesOn: () => boolean,
): Promise<string> {
  let small = text;
  for (let size = small.length >> 1; size >= 1 && small.length > SHORT; size = Math.min(size >> 1, small.length >> 1)) {
    for (let at = 0; at < small.length; ) {
      if (!goesOn()) return small;
      const candidate = small.slice(0, at) + small.slice(at + size);
      if (await fails(candidate)) small = candidate;
      else at += size;
    }
  }
  return small;
}
