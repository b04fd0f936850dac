/**
 * Sockets of the crawler itself: those it listens at, and the services it was told to use. No link, redirect or name
 * leads there, opened range or not. DESIGN section 7.
 */
import { networkInterfaces } from 'node:os';
import { formatIp, type IpBytes, inCidr, parseCidr, parseIp } from './ip.js';

export interface OwnSocket {
  /** An IP address (0.0.0.0 or ::, of a socket that listens everywhere: every address of this machine), or the name of a
   * host, which is refused whatever address it has. */
  readonly address: string;
  readonly port: number;
}

/** Whether `address` and `port` are those of a socket of ours, or `host` (as it stands in a URL) is the name of one. */
export type IsOwn = (host: string, address: IpBytes, port: number) => boolean;

/** NAT64 as networks without IPv4 use it: the last four bytes are the address that is reached (RFC 6052). */
export const NAT64 = parseCidr('64:ff9b::/96')!;
const MAPPED = parseCidr('::ffff:0:0/96')!;

/** @param localAddresses of this machine, asked for anew each time: interfaces come and go while a crawl runs */
export function ownSockets(
  sockets: readonly OwnSocket[],
  localAddresses: () => readonly string[] = systemAddresses,
): IsOwn {
  const ports = new Set(sockets.map(({ port }) => port));
  const places = new Set<string>();
  const everywhere = new Set<number>();
  for (const { address, port } of sockets) {
    const bytes = parseIp(withoutZone(address));
    places.add(`${bytes === null ? address.toLowerCase() : reached(bytes)} ${port}`);
    if (bytes?.every((byte) => byte === 0)) everywhere.add(port);
  }
  return (host, address, port) => {
    if (!ports.has(port)) return false;
    const place = reached(address);
    if (places.has(`${place} ${port}`) || places.has(`${host} ${port}`)) return true;
    return everywhere.has(port) && (isLoopback(place) || localAddresses().some((local) => isSame(local, place)));
  };
}

/** The address that packets to `address` come to, as text: the IPv4 address within one of IPv6, and loopback for that
 * which stands for none, as connect(2) takes it. */
function reached(address: IpBytes): string {
  const isWrapped = address.length === 16 && (inCidr(MAPPED, address) || inCidr(NAT64, address));
  const plain = isWrapped ? address.subarray(12) : address;
  if (!plain.every((byte) => byte === 0)) return formatIp(plain);
  return plain.length === 4 ? '127.0.0.1' : '::1';
}

const isLoopback = (address: string): boolean => address === '::1' || /^(?:127|0)\.\d/.test(address);

function isSame(local: string, place: string): boolean {
  const bytes = parseIp(withoutZone(local));
  return bytes !== null && reached(bytes) === place;
}

const withoutZone = (address: string): string => address.split('%', 1)[0];

function systemAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address));
}
