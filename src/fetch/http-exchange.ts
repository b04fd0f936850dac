/** One request and its answer on one connection: phases, time limits, and how it all becomes a result. */
import type { OutcomeCode } from '../errors.js';
import type { Connection, ConnectionHandler } from './connections.js';
import { parseRetryAfter } from './http-date.js';
import { type EntityParts, mayBeCoded, readEntity } from './http-entity.js';
import { HeaderList, locationOf, mediaTypeOf, type ResponseHead } from './http-headers.js';
import {
  type CertificateFault,
  connectErrorCode,
  encodeRequest,
  type FetchCaps,
  type FetchRequest,
  type FetchResult,
  type FetchTimeouts,
  handshakeErrorCode,
  isRedirection,
  statusCode,
  type Target,
} from './http-messages.js';
import { type BodyPlan, ResponseReader } from './http-response.js';

/** Bytes of bodies in flight, shared by everything that holds some. `reader` is whoever reads one answer. */
export interface ByteBudget {
  /** Accounts for `bytes` that came. */
  take(bytes: number): void;
  /** False: the budget is spent, and somebody else goes on past it; reading should pause. `taken`: for this reader so far. */
  mayReceive(reader: object, taken: number): boolean;
  /** A body may be decoded: null for at once, else when there is room for what may come of it. */
  turn(reader: object): Promise<void> | null;
  /** The fetch is over. Of the bytes that were taken for it what is in the result remains, which is the caller's. */
  delivered(reader: object, taken: number, result: FetchResult): void;
}

/** What the exchanges of one client share. */
export interface ExchangeContext {
  readonly timeouts: FetchTimeouts;
  readonly maxHeaderBytes: number;
  readonly keepAlive: boolean;
  readonly budget?: ByteBudget;
  /** Monotonic ms. */
  readonly clock: () => number;
  /** Wall-clock ms. */
  readonly wall: () => number;
  /** Ms for which this thread was too busy to read its sockets, since the client was made. */
  blocked: number;
  /** Called once an exchange. `connection` if one stands; `reusable`: it can carry another request. */
  onEnd(exchange: Exchange, reusable: boolean): void;
  /** The peer had closed a kept connection when our request came. */
  onStale(key: string): void;
}

type Phase = 'connect' | 'tls' | 'wait' | 'read' | 'over';

/** An answer whose last chunk has come gets this long for the end of its framing. */
const LINGER_MS = 1_000;
const EMPTY = Buffer.alloc(0);
const NO_HEADERS = new HeaderList();
const NO_ENTITY: EntityParts = { payload: EMPTY, body: EMPTY, code: 'ok', cut: false };

export class Exchange implements ConnectionHandler {
  readonly request: FetchRequest;
  readonly target: Target;
  connection: Connection | null = null;
  /** The head of the answer once it is there. */
  get head(): ResponseHead | null {
    return this.#reader.head;
  }

  readonly #context: ExchangeContext;
  readonly #reader: ResponseReader;
  readonly #resolve: (result: FetchResult) => void;
  readonly #onAbort = (): void => this.#end('lease.returned', 'aborted');
  readonly #started: number;
  readonly #blockedBefore: number;
  #phase: Phase = 'connect';
  #requestHead: Buffer = EMPTY;
  #reused = false;
  #certificate: CertificateFault | null = null;
  #firstByte = 0;
  #caps: FetchCaps;
  #taken = 0;
  #pausedSince: number | null = null;
  #pausedFor = 0;
  // The limits are on a clock that stands still while this thread is blocked or reading is paused: see #now.
  readonly #wholeDeadline: number;
  #deadline = 0;
  #rateMark = 0;
  #rateBytes = 0;

  constructor(request: FetchRequest, target: Target, context: ExchangeContext, resolve: (result: FetchResult) => void) {
    this.request = request;
    this.target = target;
    this.#context = context;
    this.#resolve = resolve;
    this.#caps = request.caps;
    const { maxHeaderBytes, timeouts } = context;
    this.#reader = new ResponseReader({ maxHeaderBytes, plan: (head, length) => this.#plan(head, length) });
    this.#started = context.clock();
    this.#blockedBefore = context.blocked;
    this.#wholeDeadline = this.#now() + timeouts.whole;
    this.#enter('connect', timeouts.connect);
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get over(): boolean {
    return this.#phase === 'over';
  }

  // -- the connection's events, in the order they come

  connected(): void {
    if (this.target.secure) this.#enter('tls', this.#context.timeouts.tls);
  }

  ready(): void {
    this.#guarded(() => {
      const connection = this.connection!;
      if (this.request.signal?.aborted || this.request.allowed?.() === false) {
        this.#end('lease.returned', 'no longer allowed', true);
        return;
      }
      this.#reused = connection.requests > 0;
      this.#certificate = connection.certificate;
      this.#requestHead = encodeRequest(this.target, this.request, this.#context.keepAlive);
      this.#enter('wait', this.#context.timeouts.firstByte);
      connection.send(this.#requestHead);
    });
  }

  data(bytes: Buffer): boolean {
    this.#guarded(() => this.#take(bytes));
    return this.#pausedSince === null;
  }

  ended(): void {
    if (this.#phase === 'connect') this.#end('connect.failed', 'closed while connecting');
    else if (this.#phase === 'tls') this.#end('tls.failed', 'closed during the handshake');
    else if (this.#isStale()) this.#endStale('closed');
    else {
      const reader = this.#reader;
      reader.end();
      const nothing = reader.truncated !== null && !reader.bodyBegun;
      this.#end(reader.error ?? (nothing ? 'read.closed' : null), reader.detail);
    }
  }

  failed(error: NodeJS.ErrnoException): void {
    const detail = error.code ?? error.message;
    if (this.#phase === 'connect') this.#end(connectErrorCode(error), detail);
    else if (this.#phase === 'tls') this.#end(handshakeErrorCode(error), detail);
    else if (this.#isStale()) this.#endStale(detail);
    else {
      this.#reader.abandon('disconnect');
      this.#end(this.#reader.bodyComplete ? null : 'read.reset', detail);
    }
  }

  // -- time and room, looked at by the client's sweep

  /** A limit has passed. */
  overdue(): boolean {
    if (this.over || this.#pausedSince !== null) return false;
    return this.#now() >= this.#deadline || this.#tooSlow();
  }

  /** Ends the exchange for the limit that {@link overdue} saw. */
  expire(): void {
    const reader = this.#reader;
    const code = this.#expiryCode();
    reader.abandon('time');
    this.#end(reader.bodyComplete ? null : code, 'timeout');
  }

  resumeIfRoom(): void {
    if (this.#pausedSince === null || this.over) return;
    if (!this.#context.budget!.mayReceive(this, this.#taken)) return;
    this.#pauseEnded();
    this.connection?.resume();
  }

  /** Ends the exchange because the client closes. */
  cancel(): void {
    this.#end('lease.returned', 'client closed');
  }

  #pauseEnded(): void {
    if (this.#pausedSince !== null) this.#pausedFor += this.#context.clock() - this.#pausedSince;
    this.#pausedSince = null;
  }

  #expiryCode(): OutcomeCode {
    if (this.#phase === 'connect') return 'connect.timeout';
    if (this.#phase === 'tls') return 'tls.failed';
    if (this.#phase === 'wait') return 'read.first-byte';
    if (this.#reader.looksForeign) return 'http.malformed';
    return this.#now() >= this.#deadline ? 'read.timeout' : 'read.slow';
  }

  #tooSlow(): boolean {
    if (this.#phase !== 'read') return false;
    const { slowAfter, slowBytesPerSecond } = this.#context.timeouts;
    const span = this.#now() - this.#rateMark;
    if (span < slowAfter) return false;
    if ((this.#reader.received - this.#rateBytes) * 1000 < slowBytesPerSecond * span) return true;
    this.#rateMark = this.#now();
    this.#rateBytes = this.#reader.received;
    return false;
  }

  #now(): number {
    return this.#context.clock() - this.#context.blocked - this.#pausedFor;
  }

  #enter(phase: Phase, limit: number): void {
    this.#phase = phase;
    this.#deadline = Math.min(this.#wholeDeadline, this.#now() + limit);
  }

  // -- reading

  #take(bytes: Buffer): void {
    const reader = this.#reader;
    if (this.#phase === 'wait') {
      this.#enter('read', this.#context.timeouts.whole);
      this.#firstByte = this.#context.clock();
      this.#rateMark = this.#now();
    }
    if (reader.push(bytes)) this.#end(reader.error, reader.detail, reader.reusable);
    else {
      if (reader.bodyComplete) this.#deadline = Math.min(this.#deadline, this.#now() + LINGER_MS);
      this.#account(bytes.length);
    }
  }

  #account(bytes: number): void {
    const { budget } = this.#context;
    if (budget === undefined) return;
    this.#taken += bytes;
    budget.take(bytes);
    if (!budget.mayReceive(this, this.#taken)) this.#pausedSince ??= this.#context.clock();
  }

  #plan(head: ResponseHead, length: number | null): BodyPlan {
    const mediaType = mediaTypeOf(head.headers);
    const other = this.#caps.capsFor?.(mediaType);
    if (other !== undefined) this.#caps = { ...this.#caps, ...other };
    const caps = this.#caps;
    const success = head.status >= 200 && head.status < 300;
    if (caps.refuse?.(mediaType)) return { limit: 0, stop: true, error: success ? 'body.refused' : null };
    if (success && caps.accept?.(mediaType) === false) return { limit: 0, stop: true, error: 'body.type' };
    if (caps.lengthStops && length !== null && length > caps.wire) {
      return { limit: 0, stop: true, error: success ? 'body.length' : null };
    }
    return { limit: caps.wire, stop: false, error: null };
  }

  // -- the end

  /**
   * A kept connection that the peer closed before one byte of an answer came. It may have been closed before our request
   * arrived, or by a server that read it and gave up: from here they look the same. RFC 9112, 9.3.1 lets a client repeat
   * a GET at once; we do not, because the second request would be one the host's clock knows nothing of. The lease goes
   * back uncharged, the host waits its delay, and the next lease has a fresh connection, on which this cannot happen.
   */
  #isStale(): boolean {
    return this.#reused && this.#phase === 'wait';
  }

  #endStale(detail: string): void {
    this.#context.onStale(this.connection!.key);
    this.#end('lease.returned', `kept connection had ended: ${detail}`);
  }

  /** A fault in a caller's function must not escape into the event loop. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#end('worker.crash', String(error));
    }
  }

  /** `fault`: why the answer is not simply what its status says. */
  #end(fault: OutcomeCode | null, detail: string, reusable = false): void {
    if (this.over) return;
    this.#phase = 'over';
    this.#pauseEnded();
    const ended = this.#context.clock();
    this.#reader.abandon('disconnect');
    this.request.signal?.removeEventListener('abort', this.#onAbort);
    this.#context.onEnd(this, reusable);
    void this.#deliver(fault, detail, ended);
  }

  async #deliver(fault: OutcomeCode | null, detail: string, ended: number): Promise<void> {
    const reader = this.#reader;
    const payload = reader.takeBody();
    // Nothing in there should throw; if it does (no memory left), it must not take the process along.
    const { budget } = this.#context;
    const isCoded = payload.length > 0 && mayBeCoded(payload, reader.head!.headers);
    const turn = isCoded ? (budget?.turn(this) ?? null) : null;
    if (turn !== null) await turn;
    const unreadable: EntityParts = { payload, body: EMPTY, code: 'decode.failed', cut: false };
    const reading = payload.length === 0 ? NO_ENTITY : readEntity(payload, reader.head!.headers, this.#caps);
    const entity = await Promise.resolve(reading).catch(() => unreadable);
    const { head, truncated } = reader;
    const location = head !== null && isRedirection(head.status) ? locationOf(head.headers) : null;
    const code = this.#code(fault, entity.code, location);
    const result: FetchResult = {
      code,
      detail: code === 'ok' ? '' : detail,
      status: head?.status ?? 0,
      reason: head?.reason ?? '',
      requestHead: this.#requestHead,
      responseHead: reader.headBytes,
      headers: head?.headers ?? NO_HEADERS,
      payload: entity.payload,
      body: entity.body,
      truncated: truncated ?? (entity.cut ? 'length' : null),
      payloadTruncated: truncated,
      location,
      retryAfterMs: head === null ? null : parseRetryAfter(head.headers.get('retry-after'), this.#context.wall()),
      started: this.#started,
      firstByte: this.#firstByte,
      ended,
      blocked: this.#context.blocked - this.#blockedBefore + this.#pausedFor,
      bytes: reader.received,
      certificate: this.#certificate,
      reused: this.#reused,
    };
    budget?.delivered(this, this.#taken, result);
    this.#resolve(result);
  }

  /** Any status but a success says enough by itself, however its body ended. */
  #code(fault: OutcomeCode | null, decoded: OutcomeCode, location: string | null): OutcomeCode {
    const status = this.#reader.head?.status;
    if (status === undefined || fault === 'lease.returned' || fault === 'worker.crash') return fault ?? 'read.closed';
    const byStatus = statusCode(status, location);
    if (byStatus !== 'ok') return byStatus;
    return fault ?? decoded;
  }
}
