/**
 * One question to the DNS, put to several servers until one answers: c-ares, no getaddrinfo, no hosts file, no search
 * domains.
 */
import { promises as dns } from 'node:dns';
import type { NegativeCode } from './dns-cache.js';

export interface DnsRecord {
  readonly address: string;
  /** Seconds. */
  readonly ttl: number;
}

/** Asks `server` for the A (4) or AAAA (6) records of `host`. Rejects with the `code` of `dns.promises` (`ENOTFOUND`
 * for NXDOMAIN, `ENODATA`, `ESERVFAIL`, `ETIMEOUT` ...). */
export type Lookup = (server: string, host: string, family: 4 | 6, timeoutMs: number) => Promise<DnsRecord[]>;

export type DnsOutcome = { readonly records: DnsRecord[] } | { readonly code: NegativeCode };

/** How long the AAAA answer may come after the A answer before it is no longer waited for, milliseconds. */
const SECOND_FAMILY_GRACE = 300;

/** Servers asked for one name, at most. */
const MAX_SERVERS = 3;

/**
 * Looks `host` up at `servers`, in their order, until one says something definite. NXDOMAIN is definite once two
 * servers have said so, or the only one. Never rejects, and ends within `timeoutMs`.
 */
export async function lookupHost(
  lookup: Lookup,
  servers: readonly string[],
  host: string,
  timeoutMs: number,
): Promise<DnsOutcome> {
  const asked = servers.slice(0, MAX_SERVERS);
  let left = timeoutMs;
  let missing = 0;
  let worst: NegativeCode = 'dns.failed';
  for (const [i, server] of asked.entries()) {
    // What is left of the time is shared by the servers that are left, so that a silent one does not use it up.
    const share = left / (asked.length - i);
    const outcome = await askServer(lookup, server, host, share);
    if ('records' in outcome) return outcome;
    if (outcome.code === 'dns.timeout') left -= share;
    if (outcome.code === 'dns.nxdomain') {
      missing++;
      if (missing === Math.min(2, servers.length)) return outcome;
    } else worst = outcome.code;
  }
  return { code: worst };
}

async function askServer(lookup: Lookup, server: string, host: string, timeoutMs: number): Promise<DnsOutcome> {
  const ipv4 = askFamily(lookup, server, host, 4, timeoutMs);
  const ipv6 = askFamily(lookup, server, host, 6, timeoutMs);
  const first = await ipv4;
  if ('records' in first && first.records.length > 0) {
    const second = await Promise.race([ipv6, pause(SECOND_FAMILY_GRACE)]);
    return { records: second && 'records' in second ? [...first.records, ...second.records] : first.records };
  }
  const second = await ipv6;
  if ('records' in second && second.records.length > 0) return second;
  // Names that exist without an address end as `dns.failed`; one family's NXDOMAIN is the name's.
  const codes = [first, second].map((outcome) => ('code' in outcome ? outcome.code : 'dns.failed'));
  if (codes.includes('dns.nxdomain')) return { code: 'dns.nxdomain' };
  return { code: codes.includes('dns.timeout') ? 'dns.timeout' : 'dns.failed' };
}

/** Empty records: the name exists and has no address of this family. */
async function askFamily(
  lookup: Lookup,
  server: string,
  host: string,
  family: 4 | 6,
  timeoutMs: number,
): Promise<DnsOutcome> {
  try {
    const records = await within(lookup(server, host, family, timeoutMs), timeoutMs);
    return records ? { records } : { code: 'dns.timeout' };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === 'ENOTFOUND') return { code: 'dns.nxdomain' };
    if (code === 'ENODATA') return { records: [] };
    return { code: code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'dns.timeout' : 'dns.failed' };
  }
}

/** The answer, or null after `timeoutMs`: c-ares stretches its own timeouts for servers that were slow before. */
async function within<T>(answer: Promise<T>, timeoutMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null);
  });
  answer.catch(() => {}); // it may fail long after the race is over
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref());
}

/** A {@link Lookup} over c-ares, one channel a server. */
export function caresLookup(): Lookup {
  const channels = new Map<string, dns.Resolver>();
  const channelOf = (server: string, timeoutMs: number) => {
    const known = channels.get(server);
    if (known) return known;
    // Two tries in the time of one: a lost datagram is more likely than a dead server.
    const channel = new dns.Resolver({ timeout: Math.max(100, Math.ceil(timeoutMs / 3)), tries: 2 });
    channel.setServers([server]);
    channels.set(server, channel);
    return channel;
  };
  return (server, host, family, timeoutMs) => {
    const channel = channelOf(server, timeoutMs);
    return family === 4 ? channel.resolve4(host, { ttl: true }) : channel.resolve6(host, { ttl: true });
  };
}
