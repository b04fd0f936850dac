/**
 * The normal form written a second time: slowly, from DESIGN section 5 alone, with `new URL`, splits and regular
 * expressions. It shares no code with `src/url/` and is what that is held against.
 */

const TRACKING = /^(utm_.*|fbclid|gclid|msclkid|yclid|dclid|igshid|mc_cid|mc_eid|ref)$/i;
const SESSION = /^(sid|sessionid|PHPSESSID|ASPSESSIONID.*)=[A-Za-z0-9]{16,}$/i;
const PATH_SESSION = /^jsessionid=[A-Za-z0-9]{16,}([.!].*)?$/i;

export interface Reference {
  url: string;
  fetch: string;
  host: string;
}

export function referenceForm(input: string, base?: string): Reference | string {
  let url: URL;
  try {
    url = standardUrl(input, base);
  } catch {
    return 'syntax';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (url.hostname === '.' || url.hostname.endsWith('..')) return 'host';
  let [, path, query] = /^[^/]*\/\/[^/]*([^?#]*)(\?[^#]*)?/.exec(url.href)!;
  const kept = path.split('/').map((s) =>
    s
      .split(';')
      .filter((p, i) => i === 0 || !PATH_SESSION.test(percents(p)))
      .join(';'),
  );
  if (kept.join('/') !== path) path = standardUrl(`${url.protocol}//${url.host}${kept.join('/')}`).pathname;
  const removed = (piece: string) => TRACKING.test(piece.split('=')[0]) || SESSION.test(piece);
  const pieces = query === undefined ? [] : query.slice(1).split('&');
  const fetched = pieces.filter((piece) => !removed(percents(piece)));
  if (fetched.length < pieces.length) query = fetched.join('&') === '' ? '' : `?${fetched.join('&')}`;
  const sorted = fetched.map(percents).filter((piece) => piece !== '');
  sorted.sort((a, b) => order(name(a), name(b)) || order(a, b));
  const host = url.hostname.replace(/\.$/, '');
  const origin = `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
  const trimmed = percents(path).replace(/([^/])\/$/, '$1');
  return {
    url: origin + trimmed + (sorted.length === 0 ? '' : `?${sorted.join('&')}`),
    fetch: `${url.protocol}//${url.host}${path}${query ?? ''}`,
    host,
  };
}

const name = (piece: string) => piece.split('=')[0];
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function percents(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]/g, (found) => {
    const octet = found.length === 3 ? Number.parseInt(found.slice(1), 16) : found.charCodeAt(0);
    const character = String.fromCharCode(octet);
    if (/[A-Za-z0-9\-._~]/.test(character)) return character;
    return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** What `new URL` should give: Node 20's leaves dot segments alone that come after a segment that begins with a dot.
 * Throws a TypeError for what is no URL. */
export function standardUrl(input: string, base?: string): URL {
  const url = new URL(input, base);
  let path = url.pathname.replace(/\/\.(?=\/)/g, '').replace(/\/\.$/, '/');
  for (let at = path.search(UP); at >= 0; at = path.search(UP)) {
    const before = path.slice(0, Math.max(0, path.lastIndexOf('/', at - 1)));
    path = before + (path.slice(at + 3) || '/');
  }
  if (/^https?:$/.test(url.protocol)) url.pathname = path;
  return url;
}

const UP = /\/\.\.(?=\/|$)/;
