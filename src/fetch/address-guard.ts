/**
 * The address guard: no link, redirect or DNS answer makes the crawler talk to anything but the public web.
 *
 * Only global unicast addresses pass, in no other form than their own, and only ports that browsers would use. The
 * tables are the IANA special-purpose registries (RFC 6890, RFC 8190; as of 2025), read strictly: what they do not call
 * globally reachable is refused, and in IPv6 everything outside 2000::/3. DESIGN section 7.
 */
import { UserError } from '../errors.js';
import { type Cidr, formatIp, type IpBytes, inCidr, parseCidr, parseIp } from './ip.js';
import { NAT64, type OwnSocket, ownSockets } from './own-sockets.js';

export interface Refusal {
  readonly code: 'guard.address' | 'guard.port' | 'guard.own';
  /** What the address or port is, in words: `127.0.0.1 is a loopback address`. */
  readonly reason: string;
}

/** What the guard has to know about the host that an address belongs to. */
export interface GuardedHost {
  /** True if the operator named the host (a seed, `--resolve`), or if a page inside an opened range linked to it. A
   * link or redirect from anywhere else never makes a host named. */
  readonly named: boolean;
}

export interface GuardOptions {
  /** Ranges opened with `--allow-private`, for named hosts only. */
  readonly allowPrivate?: readonly string[];
  /** Our own listening sockets and the configured engines: refused always, named or not, opened or not. */
  readonly refuse?: readonly OwnSocket[];
  /** Addresses of this machine, which a socket that listens on all of them can be reached at. Default: the system's. */
  readonly localAddresses?: readonly string[];
}

export interface AddressGuard {
  /** Null if `address` (an IP literal) may be connected to for `host`, as far as no port is known yet. */
  checkAddress(address: string, host: GuardedHost): Refusal | null;
  /** Null unless `port` of `address` (an IP literal) is a socket of `refuse`, or that of `name`, the host of a URL. To be
   * asked of each request: only there the address and the port have met. */
  checkSocket(name: string, address: string, port: number): Refusal | null;
  /** Null if `port` may be connected to. */
  checkPort(port: number): Refusal | null;
  /** Whether `address` lies in an opened range: links of pages from there make their hosts named. */
  isOpened(address: string): boolean;
}

/** IPv4 that is not globally reachable unicast, and what it is. */
const IPV4_SPECIAL: readonly (readonly [range: string, what: string])[] = [
  ['0.0.0.0/8', 'an address of this machine'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'a carrier-internal address'],
  ['127.0.0.0/8', 'a loopback address'],
  ['168.63.129.16/32', 'a cloud platform’s internal address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'a protocol address'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'a benchmarking address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
];

/** IPv6 that deserves a name; whatever else is outside 2000::/3 is refused as not global. */
const IPV6_SPECIAL: readonly (readonly [range: string, what: string])[] = [
  ['::/128', 'an address of this machine'],
  ['::1/128', 'a loopback address'],
  ['::ffff:0:0/96', 'an IPv4-mapped address'],
  ['::/96', 'an IPv4-compatible address'],
  ['::ffff:0:0:0/96', 'an IPv4-translated address'],
  ['64:ff9b:1::/48', 'a local-use NAT64 address'],
  ['100::/64', 'a discard-only address'],
  ['2001::/32', 'a Teredo address'],
  ['2001::/23', 'a protocol address'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation address'],
  ['5f00::/16', 'a segment routing address'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address'],
];

const ranges = (table: typeof IPV4_SPECIAL) => table.map(([text, what]) => ({ range: knownCidr(text), what }));
const IPV4_RANGES = ranges(IPV4_SPECIAL);
const IPV6_RANGES = ranges(IPV6_SPECIAL);
const GLOBAL_IPV6 = knownCidr('2000::/3');

/** Ports from 1024 up that browsers do not fetch from (WHATWG fetch, "port blocking"); below, only 80 and 443 pass. */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * What an address is, if it is not a global unicast address in its own form (`a loopback address`); null if it is one.
 */
export function whyNotGlobal(address: IpBytes): string | null {
  if (address.length === 4) return IPV4_RANGES.find(({ range }) => inCidr(range, address))?.what ?? null;
  if (inCidr(NAT64, address)) {
    const inner = whyNotGlobal(address.subarray(12));
    return inner && `a NAT64 address of ${inner}`;
  }
  const special = IPV6_RANGES.find(({ range }) => inCidr(range, address));
  if (special) return special.what;
  if (!inCidr(GLOBAL_IPV6, address)) return 'an address outside of the global unicast range';
  // ISATAP (RFC 5214) hides an IPv4 address in the interface identifier, 0:5efe or 200:5efe before it.
  const isatap = (address[8] & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;
  const inner = isatap ? whyNotGlobal(address.subarray(12)) : null;
  return inner && `an ISATAP address of ${inner}`;
}

/**
 * Builds the guard.
 *
 * @throws {UserError} for an `--allow-private` that is no range
 */
export function createGuard(options: GuardOptions = {}): AddressGuard {
  const opened = (options.allowPrivate ?? []).map(openedRange);
  const { localAddresses } = options;
  const isOwn = ownSockets(options.refuse ?? [], localAddresses && (() => localAddresses));
  const isOpened = (bytes: IpBytes) => opened.some((range) => inCidr(range, bytes));

  function checkAddress(address: string, host: GuardedHost): Refusal | null {
    const bytes = parseIp(address);
    if (!bytes) return refuse(`${JSON.stringify(address.slice(0, 80))} is not an IP address`);
    const text = formatIp(bytes);
    const what = whyNotGlobal(bytes);
    if (what === null || (host.named && isOpened(bytes))) return null;
    return refuse(`${text} is ${what}`);
  }

  function checkSocket(name: string, address: string, port: number): Refusal | null {
    const bytes = parseIp(address);
    if (bytes === null || !isOwn(name, bytes, port)) return null;
    return { code: 'guard.own', reason: `${formatIp(bytes)} port ${port} belongs to this crawler` };
  }

  return {
    checkAddress,
    checkSocket,
    checkPort,
    isOpened: (address) => {
      const bytes = parseIp(address);
      return bytes !== null && isOpened(bytes);
    },
  };
}

/** `port` if the port of an origin (`http://host:8080`; without one it is the scheme's own) is not fetched from, else
 * null. Asked of every URL that comes in: seed, link, redirect, sitemap entry. */
export function refusedPort(origin: string): 'port' | null {
  const last = origin.charCodeAt(origin.length - 1);
  if (last < 0x30 || last > 0x39) return null; // no digit: no port, and no IPv4 address either
  const colon = origin.lastIndexOf(':');
  if (origin.charCodeAt(colon + 1) === 0x2f) return null; // that of the scheme
  return checkPort(Number(origin.slice(colon + 1))) === null ? null : 'port';
}

/** The port of an origin. */
export function portOf(origin: string): number {
  const [, port] = /:(\d+)$/.exec(origin) ?? [];
  return port === undefined ? (origin.startsWith('https:') ? 443 : 80) : Number(port);
}

function checkPort(port: number): Refusal | null {
  const known = Number.isInteger(port) && port >= 1 && port <= 65535;
  if (known && (port === 80 || port === 443 || (port >= 1024 && !BAD_PORTS.has(port)))) return null;
  return { code: 'guard.port', reason: `port ${port} is not fetched from` };
}

function openedRange(text: string): Cidr {
  const range = parseCidr(text);
  if (range) return range;
  throw new UserError(`--allow-private ${text}: not an address range. Write it as 10.0.0.0/8 or fd00::/8.`, 2);
}

function knownCidr(text: string): Cidr {
  return parseCidr(text) as Cidr;
}

function refuse(reason: string): Refusal {
  return { code: 'guard.address', reason };
}
