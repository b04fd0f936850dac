/**
 * Paths as robots rules compare them (RFC 9309, sections 2.2.2 and 2.2.3).
 *
 * Rule and URL are brought to one spelling, octet by octet: percent-encoded unreserved characters are decoded; octets
 * outside ASCII, and ASCII that no URI may contain, are percent-encoded; hex digits are upper-case. `*` and `$` mean
 * something in a rule, so a literal one is written `%2A` and `%24` on both sides. Other reserved characters stay as
 * they were written: `/` and `%2F` are different characters of a URI (RFC 3986, section 2.2), and a rule about one
 * is not a rule about the other.
 */

const KEEP = 1;
const UNRESERVED = 2;
/** What becomes of each octet: 0 percent-encode, KEEP stays as written, UNRESERVED stays and is also decoded. */
const CLASS = new Uint8Array(256);
for (const c of ":/?#[]@!&'()+,;=*$") CLASS[c.charCodeAt(0)] = KEEP;
for (const c of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  CLASS[c.charCodeAt(0)] = UNRESERVED;
}

const PERCENT = 0x25;
const ESCAPES = Array.from({ length: 256 }, (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`);
const ORDINARY = /^[A-Za-z0-9\-._~:/?[\]@!&'()+,;=]*$/;

/**
 * The comparable spelling of `path`, one character per octet (a `latin1` string of UTF-8 bytes). `*` and `$` are left
 * alone: in a rule they are special, in a URL the caller encodes them ({@link comparableUrl}).
 */
export function comparablePath(path: string): string {
  if (ORDINARY.test(path)) return path;
  let out = '';
  for (let i = 0; i < path.length; i++) {
    const octet = path.charCodeAt(i);
    if (octet !== PERCENT) {
      out += CLASS[octet] === 0 ? ESCAPES[octet] : path[i];
      continue;
    }
    const high = hexValue(path.charCodeAt(i + 1));
    const low = hexValue(path.charCodeAt(i + 2));
    if (high < 0 || low < 0) {
      out += '%25';
      continue;
    }
    const decoded = high * 16 + low;
    out += CLASS[decoded] === UNRESERVED ? String.fromCharCode(decoded) : ESCAPES[decoded];
    i += 2;
  }
  return out;
}

/**
 * The comparable spelling of a URL's path and query: what rules are matched against.
 *
 * @param pathOrUrl an absolute URL, or a path that starts with `/`, or nothing (`/`)
 */
export function comparableUrl(pathOrUrl: string): string {
  const path = pathOfUrl(pathOrUrl);
  if (ORDINARY.test(path)) return path;
  const octets = Buffer.from(path, 'utf8').toString('latin1');
  return comparablePath(octets).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * Path and query of a URL, as the rules see them: scheme, authority and fragment are gone, and there is always a
 * leading slash. A text that starts with `/` is a path already, also when a second slash follows. A text without a
 * scheme (`example.com/a`) is read as an authority and its path.
 */
export function pathOfUrl(pathOrUrl: string): string {
  const hash = pathOrUrl.indexOf('#');
  const url = hash < 0 ? pathOrUrl : pathOrUrl.slice(0, hash);
  if (url.startsWith('/')) return url;
  const scheme = url.indexOf('://');
  const firstSlash = url.search(/[/?;]/);
  const authority = scheme >= 0 && firstSlash === scheme + 1 ? scheme + 3 : 0;
  const end = url.slice(authority).search(/[/?;]/);
  if (end < 0) return '/';
  const path = url.slice(authority + end);
  return path.startsWith('/') ? path : `/${path}`;
}

function hexValue(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
