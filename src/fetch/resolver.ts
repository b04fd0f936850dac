/**
 * Host names to addresses: pins, IP literals, the hosts file, then the DNS with a cache of our own. DESIGN section 7.
 *
 * The resolver says where a name points; whether anybody may connect there is the address guard's to say.
 */
import { getServers } from 'node:dns';
import type { Resolver } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { DnsCache, type NegativeCode } from './dns-cache.js';
import { caresLookup, type DnsRecord, type Lookup, lookupHost } from './dns-lookup.js';
import { type Hosts, readHostsFile } from './hosts-file.js';
import { parseIp } from './ip.js';
import { addressByPins, literalAddress, type Pin, parsePin } from './pins.js';

export interface ResolvedHost {
  /** At least one, in canonical spelling, IPv4 first. */
  readonly addresses: string[];
  /** How long the answer holds, milliseconds. */
  readonly ttlMs: number;
  /** True if the addresses are old ones and no server answers at present. */
  readonly stale: boolean;
  readonly source: 'pin' | 'literal' | 'hosts' | 'dns' | 'cache';
}

export interface UnresolvedHost {
  readonly code: NegativeCode;
  /** When it is worth to ask again, milliseconds: until then this answer stands, without a look-up. */
  readonly ttlMs: number;
  /** It is the word of one server: no other is known. With several, NXDOMAIN is what two of them have said. */
  readonly alone: boolean;
}

/** What the port promises, and where the answer came from. */
export type DnsAnswer = ResolvedHost | UnresolvedHost;

export interface DnsResolverOptions {
  /** `PATTERN=ADDRESS[/PREFIX]` (`--resolve`); the first that matches wins. */
  readonly pins?: readonly string[];
  /** `SERVER[:PORT]` (`--dns`), used in rotation. Default: the system's. */
  readonly servers?: readonly string[];
  /** Null for none. Default `/etc/hosts`. */
  readonly hostsFile?: string | null;
  /** Milliseconds, for the age of answers. */
  readonly clock: () => number;
  /** What asks a server; tests put their own. */
  readonly lookups?: Lookup;
  readonly timeoutMs?: number;
  /** TTLs are held for at least and at most so long, milliseconds. */
  readonly minTtlMs?: number;
  readonly maxTtlMs?: number;
  readonly negativeTtlMs?: number;
  /** How long after their time addresses may stand in while no server answers, milliseconds. */
  readonly maxStaleMs?: number;
  /** Hosts that are kept in memory. */
  readonly cacheSize?: number;
  /** Hosts that are looked up at once. */
  readonly concurrency?: number;
}

export interface ResolverStats {
  /** Answered from memory. */
  readonly hits: number;
  /** Looked up. */
  readonly misses: number;
  /** Answered with old addresses, since nobody answered. */
  readonly stale: number;
  /** Look-ups without addresses. */
  readonly failures: number;
  /** Hosts in memory. */
  readonly cached: number;
  /** Hosts being looked up or waiting for it. */
  readonly pending: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Addresses kept of one answer; a name with more is a name whose owner plays games. */
const MAX_ADDRESSES = 16;

export class DnsResolver implements Resolver {
  readonly #pins: readonly Pin[];
  readonly #servers: readonly string[];
  readonly #hosts: Hosts;
  readonly #clock: () => number;
  readonly #lookup: Lookup;
  readonly #timeoutMs: number;
  readonly #minTtlMs: number;
  readonly #maxTtlMs: number;
  readonly #negativeTtlMs: number;
  readonly #maxStaleMs: number;
  readonly #cache: DnsCache;
  readonly #turns: Turns;
  /** Look-ups under way: whoever asks for the same host waits for the same answer. */
  readonly #inFlight = new Map<string, Promise<DnsAnswer>>();
  /** The server that the next look-up begins with. */
  #rotation = 0;
  #hits = 0;
  #misses = 0;
  #stale = 0;
  #failures = 0;

  /** @throws {UserError} for pins or servers that are none */
  constructor(options: DnsResolverOptions) {
    this.#pins = (options.pins ?? []).map(parsePin);
    this.#servers = (options.servers?.length ? options.servers : getServers()).map(checkedServer);
    this.#hosts = options.hostsFile === null ? new Map() : readHostsFile(options.hostsFile ?? '/etc/hosts');
    this.#clock = options.clock;
    this.#lookup = options.lookups ?? caresLookup();
    this.#timeoutMs = options.timeoutMs ?? 5000;
    this.#minTtlMs = options.minTtlMs ?? 5 * MINUTE;
    this.#maxTtlMs = options.maxTtlMs ?? DAY;
    this.#negativeTtlMs = options.negativeTtlMs ?? 5 * MINUTE;
    this.#maxStaleMs = options.maxStaleMs ?? DAY;
    this.#cache = new DnsCache(options.cacheSize ?? 1_000_000);
    this.#turns = new Turns(options.concurrency ?? 256);
  }

  get stats(): ResolverStats {
    return {
      hits: this.#hits,
      misses: this.#misses,
      stale: this.#stale,
      failures: this.#failures,
      cached: this.#cache.size,
      pending: this.#inFlight.size,
    };
  }

  /** The addresses of a host as it stands in a URL. Never rejects; ends within the timeout once its turn has come. */
  async resolve(host: string): Promise<DnsAnswer> {
    const name = host.toLowerCase().replace(/\.$/, '');
    const known = this.withoutDns(name);
    if (known) return known;
    if (!isHostName(name)) return { code: 'dns.nxdomain', ttlMs: this.#maxTtlMs, alone: false };
    const cached = this.#cached(name);
    if (cached) return cached;
    const underWay = this.#inFlight.get(name);
    if (underWay) return underWay;
    const answer = this.#turns.run(() => this.#ask(name)).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, answer);
    return answer;
  }

  /** What pins, literals and the hosts file say of a host; null if a server has to be asked. */
  withoutDns(host: string): ResolvedHost | null {
    const name = host.toLowerCase().replace(/\.$/, '');
    const found = (source: 'pin' | 'literal' | 'hosts', addresses: readonly string[]): ResolvedHost => {
      return { addresses: ipv4First(addresses), ttlMs: this.#maxTtlMs, stale: false, source };
    };
    const pinned = addressByPins(this.#pins, name);
    if (pinned) return found('pin', [pinned]);
    const literal = literalAddress(name);
    if (literal) return found('literal', [literal]);
    const listed = this.#hosts.get(name);
    if (listed) return found('hosts', listed);
    // RFC 6761, section 6.3: these names are never asked of a server.
    if (name === 'localhost' || name.endsWith('.localhost')) return found('hosts', ['127.0.0.1']);
    return null;
  }

  #cached(name: string): DnsAnswer | null {
    const entry = this.#cache.get(name);
    const ttlMs = entry ? entry.expiresAt - this.#clock() : 0;
    if (!entry || ttlMs <= 0) return null;
    this.#hits++;
    if (entry.code) return { code: entry.code, ttlMs, alone: this.#isAlone };
    // An answer that outlives its own time was kept by `#standIn`.
    const stale = entry.expiresAt + this.#maxStaleMs > entry.staleUntil;
    return { addresses: entry.addresses, ttlMs, stale, source: 'cache' };
  }

  async #ask(name: string): Promise<DnsAnswer> {
    this.#misses++;
    const outcome = await lookupHost(this.#lookup, this.#rotated(), name, this.#timeoutMs);
    const now = this.#clock();
    if ('code' in outcome) {
      this.#failures++;
      return (outcome.code !== 'dns.nxdomain' && this.#standIn(name, now)) || this.#refused(name, outcome.code, now);
    }
    const addresses = addressesOf(outcome.records);
    if (addresses.length === 0) return this.#refused(name, 'dns.failed', now);
    const seconds = Math.min(...outcome.records.map((record) => record.ttl));
    const ttlMs = Math.min(Math.max(seconds * 1000 || 0, this.#minTtlMs), this.#maxTtlMs);
    const expiresAt = now + ttlMs;
    this.#cache.set(name, { addresses, code: null, expiresAt, staleUntil: expiresAt + this.#maxStaleMs });
    return { addresses, ttlMs, stale: false, source: 'dns' };
  }

  /** Old addresses while nobody answers. NXDOMAIN is an answer: a name that is gone has none. */
  #standIn(name: string, now: number): ResolvedHost | null {
    const entry = this.#cache.get(name);
    if (!entry || entry.code || now >= entry.staleUntil) return null;
    this.#stale++;
    const expiresAt = Math.min(now + this.#negativeTtlMs, entry.staleUntil);
    this.#cache.set(name, { ...entry, expiresAt });
    return { addresses: entry.addresses, ttlMs: expiresAt - now, stale: true, source: 'cache' };
  }

  #refused(name: string, code: NegativeCode, now: number): UnresolvedHost {
    this.#cache.set(name, { addresses: [], code, expiresAt: now + this.#negativeTtlMs, staleUntil: 0 });
    return { code, ttlMs: this.#negativeTtlMs, alone: this.#isAlone };
  }

  get #isAlone(): boolean {
    return this.#servers.length < 2;
  }

  #rotated(): string[] {
    const from = this.#servers.length > 0 ? this.#rotation++ % this.#servers.length : 0;
    return [...this.#servers.slice(from), ...this.#servers.slice(0, from)];
  }
}

/** Runs at most `limit` tasks at once, the others in their order. */
class Turns {
  readonly #limit: number;
  /** In order of arrival; a set, since taking the first of a long array moves all others. */
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next(); // it takes over this turn
      } else this.#running--;
    }
  }
}

function addressesOf(records: readonly DnsRecord[]): string[] {
  const addresses = new Set<string>();
  for (const { address } of records) {
    const literal = literalAddress(address);
    if (literal && addresses.size < MAX_ADDRESSES) addresses.add(literal);
  }
  return ipv4First([...addresses]);
}

function ipv4First(addresses: readonly string[]): string[] {
  return [...addresses.filter((a) => !a.includes(':')), ...addresses.filter((a) => a.includes(':'))];
}

/** Whether a name can be asked for at all (RFC 1035, section 2.3.4; underscores exist in practice). */
function isHostName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
}

/** Where `SERVER[:PORT]` is; null if it is none. */
export function serverSocket(text: string): { address: string; port: number } | null {
  const match = /^(?:\[([^\]]*)\]|([^:]*|.*:.*:.*))(?::(\d{1,5}))?$/.exec(text.trim());
  const address = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3] ?? 53);
  return parseIp(address.split('%')[0]) && port >= 1 && port <= 65535 ? { address, port } : null;
}

/** `SERVER[:PORT]` in the spelling that c-ares takes. */
function checkedServer(text: string): string {
  const socket = serverSocket(text);
  if (socket === null) {
    throw new UserError(`--dns ${text}: write it as ADDRESS or ADDRESS:PORT, as in 9.9.9.9 or [2620:fe::fe]:53.`, 2);
  }
  const { address, port } = socket;
  if (port === 53) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
