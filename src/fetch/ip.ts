/**
 * IP addresses as bytes: strict reading, canonical writing, ranges.
 *
 * Strict means one spelling family: dotted decimal without leading zeros (RFC 6943, section 3.1.1, tells why the others
 * are dangerous) and RFC 4291 for IPv6. `127.1`, `0x7f.0.0.1` or `017700000001` are no addresses here; in URLs they
 * have become dotted decimal before anybody asks us. Zone ids are refused: they name an interface of this machine.
 */

/** 4 or 16 bytes in network order. */
export type IpBytes = Uint8Array;

/** A range of addresses. Its base has no bits set beyond the prefix. */
export interface Cidr {
  readonly base: IpBytes;
  /** Length of the prefix in bits. */
  readonly bits: number;
}

/** The bytes of an address, or null if `text` is not exactly one. */
export function parseIp(text: string): IpBytes | null {
  if (text.length > 45) return null;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpBytes | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return null;
  const bytes = new Uint8Array(4);
  for (let i = 0; i < 4; i++) {
    const part = match[i + 1];
    if ((part.length > 1 && part[0] === '0') || Number(part) > 255) return null;
    bytes[i] = Number(part);
  }
  return bytes;
}

function parseIpv6(text: string): IpBytes | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0], halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1], true) : [];
  if (!head || !tail) return null;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return null;
  const bytes = new Uint8Array(16);
  bytes.set(head, 0);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** Bytes of `a:b:c`, whose last group may be an IPv4 address if `last` says that the address ends here. */
function parseGroups(text: string, last: boolean): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i];
    if (last && i === groups.length - 1 && group.includes('.')) {
      const ipv4 = parseIpv4(group);
      if (!ipv4) return null;
      bytes.push(...ipv4);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return null;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

/** The canonical spelling: dotted decimal, or RFC 5952 (without its dotted tails). */
export function formatIp(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
  let from = -1;
  let size = 1; // a single zero group is not shortened
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && groups[i + run] === 0) run++;
    if (run > size) [from, size] = [i, run];
    i += run;
  }
  const hex = (part: number[]) => part.map((group) => group.toString(16)).join(':');
  return from < 0 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + size))}`;
}

/** Reads `ADDRESS/BITS`, or `ADDRESS` alone for a range of one; null if it is neither. Bits of the address beyond the
 * prefix are dropped. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const address = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (!address) return null;
  const size = address.length * 8;
  const prefix = slash < 0 ? String(size) : text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > size) return null;
  const bits = Number(prefix);
  const base = address.map((byte, i) => byte & maskByte(bits, i));
  return { base, bits };
}

/** Whether `range` contains `address`; never across families. */
export function inCidr(range: Cidr, address: IpBytes): boolean {
  if (range.base.length !== address.length) return false;
  const bytes = (range.bits + 7) >> 3;
  for (let i = 0; i < bytes; i++) if ((address[i] & maskByte(range.bits, i)) !== range.base[i]) return false;
  return true;
}

/** The bits of byte `i` that belong to a prefix of `bits`. */
function maskByte(bits: number, i: number): number {
  const left = bits - 8 * i;
  return left >= 8 ? 0xff : left <= 0 ? 0 : (0xff << (8 - left)) & 0xff;
}
