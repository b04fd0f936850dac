/** Meta refresh (HTML 4.2.5.3, "shared declarative refresh steps"). */

export interface Refresh {
  /** Whole seconds. */
  delay: number;
  /** The target as written, or null: the page reloads itself. */
  url: string | null;
}

const isSpace = (c: string): boolean => c === ' ' || c === '\t' || c === '\n' || c === '\f' || c === '\r';

/** Reads the `content` of a refresh, or null if it is none. */
export function parseRefresh(content: string): Refresh | null {
  const end = content.length;
  let p = 0;
  const skipSpace = (): void => {
    while (p < end && isSpace(content[p])) p++;
  };
  skipSpace();
  const digits = p;
  while (p < end && content[p] >= '0' && content[p] <= '9') p++;
  if (p === digits && content[p] !== '.') return null;
  const delay = p === digits ? 0 : Math.min(Number(content.slice(digits, p)), Number.MAX_SAFE_INTEGER);
  while (p < end && ((content[p] >= '0' && content[p] <= '9') || content[p] === '.')) p++;
  if (p >= end) return { delay, url: null };
  if (content[p] !== ';' && content[p] !== ',' && !isSpace(content[p])) return null;
  skipSpace();
  if (content[p] === ';' || content[p] === ',') p++;
  skipSpace();
  if (p >= end) return { delay, url: null };
  const url = readTarget(content, p);
  return { delay, url };
}

/** The target: what follows `url =`, quoted or not; without that prefix, everything. */
function readTarget(content: string, from: number): string {
  const prefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(content.slice(from, from + 1000));
  let rest = content.slice(from + (prefix?.[0].length ?? 0));
  if (prefix !== null || rest[0] === '"' || rest[0] === "'") {
    const quote = rest[0];
    if (quote === '"' || quote === "'") {
      rest = rest.slice(1);
      const close = rest.indexOf(quote);
      if (close >= 0) rest = rest.slice(0, close);
    }
  }
  return rest.replace(/[\t\n\f\r ]+$/, '');
}
