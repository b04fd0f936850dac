/**
 * Pinned names: `--resolve 'PATTERN=ADDRESS[/PREFIX]'`. Names that match the pattern have that address and are never
 * looked up; with a prefix each name has an address of its own in the range, by a hash that is the same in every
 * process and release, so that a synthetic web can listen where the crawler will look.
 */
import { UserError } from '../errors.js';
import { type Cidr, formatIp, parseCidr, parseIp } from './ip.js';
import { compileWildcard, matchesWildcard, type Wildcard } from './wildcard.js';

export interface Pin {
  readonly pattern: Wildcard;
  readonly range: Cidr;
}

/**
 * Reads a pin. PATTERN is a host name in which `*` stands for any run of characters.
 *
 * @throws {UserError} if `text` is none
 */
export function parsePin(text: string): Pin {
  const equals = text.indexOf('=');
  const pattern = text.slice(0, Math.max(equals, 0)).trim().toLowerCase().replace(/\.$/, '');
  const target = text.slice(equals + 1).trim();
  const bare = /^\[(.*)\]$/.exec(target)?.[1] ?? target;
  const range = parseCidr(bare);
  if (pattern === '' || pattern.length > 253 || !range) {
    throw new UserError(
      `--resolve ${text}: write it as PATTERN=ADDRESS or PATTERN=ADDRESS/PREFIX, as in '*.test=127.0.0.1'.`,
      2,
    );
  }
  return { pattern: compileWildcard(pattern, true), range };
}

/** The address of `host` by the first pin that matches, or null. `host` is lower-case. */
export function addressByPins(pins: readonly Pin[], host: string): string | null {
  for (const { pattern, range } of pins) if (matchesWildcard(pattern, host)) return spread(host, range);
  return null;
}

/**
 * The address that a pin `ADDRESS/PREFIX` gives to `host`: the range's base plus a stable hash of the name. The first
 * and the last address of a range of more than two are left out (network and broadcast).
 *
 * @throws {RangeError} if `cidr` is no range
 */
export function pinnedAddress(host: string, cidr: string): string {
  const range = parseCidr(cidr);
  if (!range) throw new RangeError(`not an address range: ${cidr}`);
  return spread(host.toLowerCase(), range);
}

function spread(host: string, range: Cidr): string {
  const free = Math.min(range.base.length * 8 - range.bits, 48);
  if (free === 0) return formatIp(range.base);
  const size = 2 ** free;
  const hash = stableHash(host);
  let offset = size > 2 ? 1 + (hash % (size - 2)) : hash % size;
  const bytes = range.base.slice();
  for (let i = bytes.length - 1; offset > 0; i--) {
    bytes[i] |= offset % 256;
    offset = Math.floor(offset / 256);
  }
  return formatIp(bytes);
}

/** 53 bits of FNV-1a over the UTF-16 units, two lanes with different bases, each finished as in MurmurHash3. Frozen:
 * the addresses of pinned names depend on it. */
function stableHash(text: string): number {
  return lane(text, 0x811c9dc5) * 2 ** 21 + (lane(text, 0x9e3779b9) >>> 11);
}

function lane(text: string, base: number): number {
  let hash = base;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The addresses of a host that is an IP literal (IPv6 also in brackets), else null. */
export function literalAddress(host: string): string | null {
  const bytes = parseIp(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
  return bytes && formatIp(bytes);
}
