/**
 * An HTTP/1.1 client for crawling: GET from a pinned address, every cap and timeout in force, never a rejection.
 *
 * It is our own because node:http refuses a third of the broken servers that browsers read, and costs twice the CPU
 * (see docs/decisions). One sweep looks after all time limits; there is no timer a request.
 */
import { Connection, ConnectionPool } from './connections.js';
import { type ByteBudget, Exchange, type ExchangeContext } from './http-exchange.js';
import { HeaderList } from './http-headers.js';
import {
  DEFAULT_TIMEOUTS,
  type FetchRequest,
  type FetchResult,
  type FetchTimeouts,
  isAddress,
  parseTarget,
} from './http-messages.js';
import { SocketFactory, type TlsOptions } from './sockets.js';

export type { ByteBudget } from './http-exchange.js';
export type { FetchCaps, FetchRequest, FetchResult, FetchTimeouts } from './http-messages.js';
export type { TlsOptions } from './sockets.js';
export { DEFAULT_TIMEOUTS };

export interface HttpClientOptions {
  readonly timeouts?: Partial<FetchTimeouts>;
  /** Idle connections kept, over all hosts (an idle TLS socket holds about 80 KB); 0: a connection a request.
   * Default 512. */
  readonly maxIdleSockets?: number;
  /** How long an idle connection is used again, ms, unless its server says less. Default 15 s. */
  readonly idleMs?: number;
  /** Cap on all heads of one answer, bytes. Default 64 KiB. */
  readonly maxHeaderBytes?: number;
  readonly tls?: TlsOptions;
  readonly budget?: ByteBudget;
  /** Why nobody may connect to `port` of `address` for the host of that name (`guard.own`), or null. The address is
   * known to be public or opened; here it has met the port. Default: refuses nothing. */
  readonly refuses?: (host: string, address: string, port: number) => string | null;
  /** Monotonic ms; default: the machine's monotonic clock, the same in all threads. */
  readonly clock?: () => number;
  /** Wall-clock ms since 1970, for Retry-After dates. */
  readonly wall?: () => number;
}

/** A loop turn longer than this was spent on something else than sockets, and is not counted as fetch time. */
const LONG_TURN_MS = 50;
const MAX_SWEEP_MS = 100;
/** Hosts whose kept connections turned out to be dead, so that none is kept for them again. */
const MAX_STALE_KEYS = 4096;

const monotonicMs = (): number => {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e3 + nanos / 1e6;
};

export class HttpClient {
  readonly #context: ExchangeContext;
  readonly #sockets: SocketFactory;
  readonly #pool: ConnectionPool;
  readonly #idleMs: number;
  readonly #refuses: NonNullable<HttpClientOptions['refuses']>;
  readonly #sweepMs: number;
  /** In the order they began. */
  readonly #active = new Set<Exchange>();
  readonly #open = new Set<Connection>();
  readonly #staleKeys = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #sweepDue = 0;
  #closed = false;
  #onAllClosed: (() => void) | null = null;

  constructor(options: HttpClientOptions = {}) {
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#idleMs = options.idleMs ?? 15_000;
    this.#refuses = options.refuses ?? (() => null);
    this.#sockets = new SocketFactory(options.tls);
    const maxIdle = options.maxIdleSockets ?? 512;
    this.#pool = new ConnectionPool(maxIdle);
    const shortest = Math.min(timeouts.connect, timeouts.tls, timeouts.firstByte, timeouts.whole, timeouts.slowAfter);
    this.#sweepMs = Math.max(5, Math.min(MAX_SWEEP_MS, shortest / 4));
    this.#context = {
      timeouts,
      maxHeaderBytes: options.maxHeaderBytes ?? 64 * 1024,
      keepAlive: maxIdle > 0,
      budget: options.budget,
      clock: options.clock ?? monotonicMs,
      wall: options.wall ?? Date.now,
      blocked: 0,
      onEnd: (exchange, reusable) => this.#release(exchange, reusable),
      onStale: (key) => this.#rememberStale(key),
    };
  }

  /** Idle connections kept for later. */
  get idle(): number {
    return this.#pool.size;
  }

  /** Requests under way. */
  get active(): number {
    return this.#active.size;
  }

  /** Makes one request, on a kept connection where there is one; redirects are answers, not followed. Never rejects:
   * every fault is a code in the result. */
  fetch(request: FetchRequest): Promise<FetchResult> {
    const target = parseTarget(request.url);
    if (target === null) return this.#refusal('connect.failed', 'not an http(s) URL');
    // An address that is a name would be looked up behind the guard's back.
    if (!isAddress(request.address)) return this.#refusal('connect.failed', 'not an IP address');
    const refusal = this.#refuses(target.host, request.address, target.port);
    if (refusal !== null) return this.#refusal('guard.own', refusal);
    if (this.#closed || request.signal?.aborted) return this.#refusal('lease.returned', 'not started');
    return new Promise((resolve) => {
      const exchange = new Exchange(request, target, this.#context, resolve);
      this.#active.add(exchange);
      this.#keepSweeping();
      this.#begin(exchange, `${target.secure ? 's' : ''}//${target.host}:${target.port}@${request.address}`);
    });
  }

  /** Ends what is under way (`lease.returned`), closes every connection and waits until they are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#active) exchange.cancel();
    this.#pool.clear();
    for (const connection of this.#open) connection.destroy();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onAllClosed = resolve));
  }

  #begin(exchange: Exchange, key: string): void {
    const kept = this.#pool.take(key, this.#context.clock());
    if (kept !== null) {
      exchange.connection = kept;
      kept.handler = exchange;
      exchange.ready();
      return;
    }
    try {
      const connection = new Connection(
        key,
        exchange,
        (onread) => this.#sockets.open(exchange.target, exchange.request.address, onread),
        (closed) => this.#forget(closed),
      );
      this.#open.add(connection);
      exchange.connection = connection;
    } catch (error) {
      exchange.failed(error as NodeJS.ErrnoException);
    }
  }

  #release(exchange: Exchange, reusable: boolean): void {
    this.#active.delete(exchange);
    const { connection } = exchange;
    if (connection === null) return;
    const keepFor = reusable && !this.#closed && !this.#staleKeys.has(connection.key) ? this.#keepFor(exchange) : 0;
    if (keepFor > 0 && connection.open) {
      connection.usableUntil = this.#context.clock() + keepFor;
      this.#pool.put(connection);
    } else {
      connection.destroy();
    }
  }

  /** How long this connection may be used again: our own limit, or a second less than the server's (`Keep-Alive:
   * timeout=5`), so that its FIN and our next request do not cross. */
  #keepFor(exchange: Exchange): number {
    const hint = exchange.head?.headers.get('keep-alive') ?? null;
    const seconds = hint === null ? null : /(?:^|[,\s])timeout=(\d{1,6})/i.exec(hint);
    if (seconds === null) return this.#idleMs;
    const said = Number(seconds[1]) * 1000;
    return Math.min(this.#idleMs, said > 2000 ? said - 1000 : said / 2);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#pool.drop(connection);
    if (this.#open.size === 0) this.#onAllClosed?.();
  }

  #rememberStale(key: string): void {
    this.#staleKeys.add(key);
    if (this.#staleKeys.size > MAX_STALE_KEYS) this.#staleKeys.delete(this.#staleKeys.values().next().value!);
  }

  #keepSweeping(): void {
    if (this.#timer !== null || this.#closed) return;
    if (this.#active.size === 0 && this.#pool.size === 0) return;
    this.#sweepDue = this.#context.clock() + this.#sweepMs;
    this.#timer = setTimeout(() => this.#sweep(), this.#sweepMs);
  }

  #sweep(): void {
    this.#timer = null;
    const now = this.#context.clock();
    const late = now - this.#sweepDue;
    if (late > LONG_TURN_MS) this.#context.blocked += late;
    const suspects: Exchange[] = [];
    for (const exchange of this.#active) {
      exchange.resumeIfRoom();
      if (exchange.overdue()) suspects.push(exchange);
    }
    // What came while this thread was busy lies in the sockets: they are read (the poll phase of the loop) before
    // anything is given up.
    if (suspects.length > 0) setImmediate(() => this.#expire(suspects));
    this.#pool.sweep(now);
    this.#keepSweeping();
  }

  #expire(suspects: readonly Exchange[]): void {
    for (const exchange of suspects) {
      if (exchange.overdue()) exchange.expire();
    }
  }

  #refusal(code: FetchResult['code'], detail: string): Promise<FetchResult> {
    const now = this.#context.clock();
    const nothing = Buffer.alloc(0);
    return Promise.resolve({
      code,
      detail,
      status: 0,
      reason: '',
      requestHead: nothing,
      responseHead: nothing,
      headers: new HeaderList(),
      payload: nothing,
      body: nothing,
      truncated: null,
      payloadTruncated: null,
      location: null,
      retryAfterMs: null,
      started: now,
      firstByte: 0,
      ended: now,
      blocked: 0,
      bytes: 0,
      certificate: null,
      reused: false,
    });
  }
}
