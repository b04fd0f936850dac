/**
 * SURT keys: the host turned round, `com,example)/path?query`, by which replay tools sort and find captures.
 *
 * The rules are those of the Wayback machine and pywb (public cases of both are in the tests): http and https are one,
 * `www.` and `www2.` go, so do user names, default ports, fragments and session ids; path and query are in lower case,
 * query arguments are sorted, a trailing slash goes; %-escapes are decoded and encoded again once.
 */

const DEFAULT_PORT: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** The key of a URL; a URL without a host (`dns:...`, `urn:...`) is its own key. Never throws, never has a blank. */
export function surtKey(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return escapeOnce(url) || '-';
  }
  if (parsed.host === '') return escapeOnce(url);
  const host = parsed.hostname.replace(/^www\d*\./, '').replace(/\.+$/, '');
  const port = parsed.port === '' || parsed.port === DEFAULT_PORT[parsed.protocol] ? '' : `:${parsed.port}`;
  // The wayback form turns IPv4 addresses round too; in an IPv6 address there is no dot to turn at.
  return `${host.split('.').reverse().join(',')}${port})${pathKey(parsed.pathname)}${queryKey(parsed.search.slice(1))}`;
}

function pathKey(pathname: string): string {
  const kept = unescapeAll(pathname)
    .replace(/\/{2,}/g, '/')
    .toLowerCase();
  let path = escapeOnce(kept);
  // ASP.NET session ids, alone or in groups: /(S(24 characters))/page.aspx
  if (path.includes('.aspx')) path = path.replace(/\/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)\//, '/');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/';
}

/** A session id and the `&` behind it. Bounded repetitions: linear. */
const SESSIONS = [
  /jsessionid=[0-9a-z]{32}(?:&|$)/i,
  /phpsessid=[0-9a-z]{32}(?:&|$)/i,
  /sid=[0-9a-z]{32}(?:&|$)/i,
  /aspsessionid[a-z]{8}=[a-z]{24}(?:&|$)/i,
  /cfid=[^&]{1,256}&cftoken=[^&]{1,256}(?:&|$)/i,
];

function queryKey(search: string): string {
  if (search === '') return '';
  let query = escapeOnce(unescapeAll(search));
  for (const session of SESSIONS) query = query.replace(session, '');
  query = query
    .toLowerCase()
    .split('&')
    .map((arg): [string, string | null] => {
      const equals = arg.indexOf('=');
      return equals === -1 ? [arg, null] : [arg.slice(0, equals), arg.slice(equals + 1)];
    })
    .sort(byNameThenValue)
    .map(([name, value]) => (value === null ? name : `${name}=${value}`))
    .join('&');
  return query === '' ? '' : `?${query}`;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byNameThenValue = (a: [string, string | null], b: [string, string | null]): number =>
  order(a[0], b[0]) || Number(a[1] !== null) - Number(b[1] !== null) || order(a[1] ?? '', b[1] ?? '');

/** Decodes %-escapes until there are none, as byte strings; each round is linear, and nobody nests them 16 deep. */
function unescapeAll(text: string): string {
  let bytes = Buffer.from(text).toString('latin1');
  for (let round = 0; round < 16 && bytes.includes('%'); round++) {
    const next = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === bytes) break;
    bytes = next;
  }
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Encodes what may not stand in a key: blanks, controls, `#`, `%`, and the bytes of non-ASCII characters. */
function escapeOnce(text: string): string {
  if (!/[^\x21-\x22\x24\x26-\x7e]/.test(text)) return text;
  let out = '';
  for (const byte of Buffer.from(text)) {
    const safe = byte > 0x20 && byte < 0x7f && byte !== 0x23 && byte !== 0x25;
    out += safe ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return out;
}
