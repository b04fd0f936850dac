/** `inspect url`: the two forms of a URL, its key, and what admission would say to it (docs/urls.md). */
import { createGuard } from '../fetch/address-guard.js';
import { literalAddress } from '../fetch/pins.js';
import { parseUrl } from '../parse-url.js';
import { domainOf } from '../url/domain.js';
import { UrlKeyer } from '../url/key.js';
import { type NormalUrl, normalizeUrl } from '../url/normalize.js';
import { compareParameters } from '../url/parameters.js';
import { TrapGuards } from '../url/traps.js';
import { type Case, type InspectKind, optional, type Row, required } from './inspect-case.js';

/** Keys are hashed under a zero secret, so that answers can be compared; a crawl draws a secret of its own. */
const SECRET = new Uint8Array(16);
const keyer = new UrlKeyer(SECRET);

export const urlKind: InspectKind = {
  subject: 'input',
  reads: ['input', 'base'],
  answer: answerUrl,
  explain: explainUrl,
};

function answerUrl(input: Case): Record<string, unknown> {
  const text = required(input, 'input');
  const base = optional(input, 'base');
  const normal = normalizeUrl(text, base);
  if (normal.url === null) return { ...normal };
  const { url, fetch, host } = normal;
  return { url, fetch, href: parseUrl(text, base)!.href, key: keyer.hex(url), host };
}

const REFUSALS: Readonly<Record<string, string>> = {
  syntax: 'it is no URL (or a relative one, without a base)',
  scheme: 'only http and https are crawled',
  host: 'its host name has an empty label, so no DNS can hold it',
  length: 'it is longer than any URL that is kept',
};

function explainUrl(input: Case): Row[] {
  const text = required(input, 'input');
  const base = optional(input, 'base');
  const normal = normalizeUrl(text, base);
  if (normal.url === null) {
    const href: Row[] = normal.href === undefined ? [] : [['WHATWG', normal.href]];
    return [['refused', `${normal.reason}: ${REFUSALS[normal.reason]}`], ...href];
  }
  const standard = parseUrl(text, base)!;
  const { url, fetch, host, origin } = normal;
  return [
    ['normal form', url],
    ['requested', fetch === url ? 'the same' : fetch],
    ['WHATWG', standard.href === url ? 'the same' : standard.href],
    ['key', `${keyer.hex(url)} (under a zero secret; every crawl draws its own)`],
    ['host', `${host}, of the domain ${domainOf(host)}`],
    ['robots.txt', `${origin}/robots.txt`],
    ...[...parsing(text, standard), ...changes(standard, normal)].map((change): Row => ['changed', change]),
    ...guards(normal),
  ];
}

/** What parsing by the WHATWG standard has changed in a URL that was given whole; of a relative one it says nothing. */
function parsing(text: string, standard: URL): string[] {
  const [, scheme, authority, path] = /^\s*([a-z][a-z0-9+.-]*):[\\/]*([^\\/?#]*)([^?#]*)/i.exec(text) ?? [];
  if (scheme === undefined || `${scheme.toLowerCase()}:` !== standard.protocol) return [];
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  const said: string[] = [];
  const say = (is: boolean, change: string): void => {
    if (is) said.push(change);
  };
  say(/^\s|\s$|[\t\r\n]/.test(text), 'spaces, tabs and line ends around or in it dropped');
  say(/\\/.test(`${authority}${path}`) || !/^\s*[^:]+:\/\/[^/]/.test(text), 'slashes put right');
  say(/[A-Z]/.test(scheme), 'scheme in lower case');
  const isPlain = /^[\0-\x7f]*$/.test(host);
  say(isPlain && host.toLowerCase() === standard.hostname && host !== standard.hostname, 'host in lower case');
  say(!isPlain, 'host in its ASCII form (IDNA)');
  say(isPlain && host.toLowerCase() !== standard.hostname, 'host in the spelling that the standard gives it');
  say(/:\d*$/.test(authority) && standard.port === '', 'default port dropped');
  say(/(?:^|[\\/])(?:\.|%2e){1,2}(?:[\\/]|$)/i.test(path), 'dot segments resolved');
  return said;
}

/** What the normal form has lost or gained against the WHATWG serialisation, step by step (DESIGN 5). */
function changes(standard: URL, { url, host, removed }: NormalUrl): string[] {
  const form = new URL(url);
  const said: string[] = [];
  const say = (is: boolean, change: string): void => {
    if (is) said.push(change);
  };
  say(standard.username !== '' || standard.password !== '', 'credentials dropped');
  say(standard.hostname !== host, 'root dot of the host dropped');
  for (const name of new Set(removed)) {
    say(true, name.startsWith(';') ? `session parameter ${name} removed from the path` : `parameter ${name} removed`);
  }
  say(standard.pathname.length > 1 && /[^/]\/$/.test(standard.pathname), 'trailing slash trimmed');
  say(standard.hash !== '' || standard.href.endsWith('#'), 'fragment dropped');
  say(standard.search === '' && /\?(?:#|$)/.test(standard.href), 'empty query dropped');
  const pieces = standard.search.slice(1).split('&');
  say(pieces.length > 1 && pieces.includes(''), 'empty pieces of the query dropped');
  say(
    pieces.some((piece, i) => i > 0 && compareParameters(pieces[i - 1], piece) > 0),
    'query sorted',
  );
  say(percents(standard) !== percents(form), 'percent-encoding normalised');
  return said;
}

/** The percent-encoded triplets and the characters that may have become some, in a stable order. */
function percents({ pathname, search }: URL): string {
  return (`${pathname}${search}`.match(/%[0-9a-f]{2}|[[\]{}|^`\\%]/gi) ?? []).sort().join('');
}

const TRAPS: Readonly<Record<string, string>> = {
  length: 'it is longer than 1,000 bytes',
  repeat: 'one segment of its path occurs more than 3 times',
};

/** The guards that can be asked without a crawl. Depth, budgets, scope and the number of queries need one. */
function guards(normal: NormalUrl): Row[] {
  const trap = new TrapGuards(SECRET, { sketchBytes: 8 }).check(normal, 0);
  const rows: Row[] = [];
  if (trap !== null) rows.push(['guard', `refused by the trap guard ${trap}: ${TRAPS[trap] ?? trap}`]);
  const guard = createGuard();
  const { port, protocol } = new URL(normal.url);
  const refused = guard.checkPort(Number(port || (protocol === 'https:' ? 443 : 80)));
  if (refused !== null) rows.push(['guard', `refused: ${refused.reason}`]);
  const address = literalAddress(normal.host);
  const special = address === null ? null : guard.checkAddress(address, { named: false });
  if (special !== null) rows.push(['guard', `refused: ${special.reason} (a seed may be allowed: --allow-private)`]);
  return rows.length > 0 ? rows : [['guards', 'length, repeated segments, port: none refuses it']];
}
