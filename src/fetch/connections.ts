/**
 * Connections: one socket each, plain or TLS, and the pool that keeps idle ones for the next request to the same place.
 *
 * Sockets read into one buffer that all of them share (`onread`): no allocation and no stream event per read. Every
 * socket has an error handler for all of its life.
 */
import type net from 'node:net';
import tls from 'node:tls';
import { type CertificateFault, certificateFault } from './http-messages.js';

/** What a connection tells the exchange that holds it. Buffers given to `data` are only valid during the call. */
export interface ConnectionHandler {
  /** TCP stands; a TLS handshake may follow. */
  connected(): void;
  /** Ready for a request. */
  ready(): void;
  /** Returns false to stop reading until {@link Connection.resume}. */
  data(bytes: Buffer): boolean;
  /** The peer closed its side. */
  ended(): void;
  failed(error: NodeJS.ErrnoException): void;
}

const READ_SIZE = 64 * 1024;
const sharedBuffer = Buffer.allocUnsafeSlow(READ_SIZE);

/** libuv hands the buffer out and calls back with it in one go; on Windows a read may be pending on it meanwhile. */
const readBuffer = (): Buffer => (process.platform === 'win32' ? Buffer.allocUnsafeSlow(READ_SIZE) : sharedBuffer);

export class Connection {
  /** Scheme, host, port and address: what two requests must share to share a connection. */
  readonly key: string;
  readonly #socket: net.Socket;
  /** Who gets the events; null while idle, when any event but silence means that the connection is over. */
  handler: ConnectionHandler | null;
  /** What is wrong with the peer's certificate, if that was let pass. */
  certificate: CertificateFault | null = null;
  /** Requests sent on it. */
  requests = 0;
  /** Monotonic ms after which an idle connection is not used again. */
  usableUntil = 0;

  /** `open` makes the socket and sets `onread` on it; `onClose` is called once, whatever happens. */
  constructor(
    key: string,
    handler: ConnectionHandler,
    open: (onread: net.OnReadOpts) => net.Socket,
    onClose: (connection: Connection) => void,
  ) {
    this.key = key;
    this.handler = handler;
    const buffer = readBuffer();
    this.#socket = open({ buffer, callback: (length) => this.#read(buffer, length) });
    const readyEvent = this.#socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect';
    this.#socket.on('error', (error) => this.#over((handler) => handler.failed(error)));
    this.#socket.on('end', () => this.#over((handler) => handler.ended()));
    this.#socket.once('connect', () => this.handler?.connected());
    this.#socket.once(readyEvent, () => {
      this.certificate = faultOf(this.#socket);
      this.handler?.ready();
    });
    this.#socket.once('close', () => {
      this.#over((handler) => handler.ended());
      onClose(this);
    });
  }

  get open(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(bytes: Buffer): void {
    this.requests++;
    this.#socket.write(bytes);
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.handler = null;
    this.#socket.destroy();
  }

  #read(buffer: Buffer, length: number): boolean {
    if (this.handler !== null) return this.handler.data(buffer.subarray(0, length));
    // Nothing was asked for: whatever this is, it must not become the answer to the next request.
    this.#socket.destroy();
    return true;
  }

  #over(tell: (handler: ConnectionHandler) => void): void {
    const handler = this.handler;
    this.handler = null;
    this.#socket.destroy();
    if (handler !== null) tell(handler);
  }
}

/** What verification found, where it was told not to refuse. Typed as an Error, it is a code (`CERT_HAS_EXPIRED`). */
function faultOf(socket: net.Socket): CertificateFault | null {
  if (!(socket instanceof tls.TLSSocket) || socket.authorized || !socket.authorizationError) return null;
  return certificateFault(String(socket.authorizationError)) ?? 'tls.certificate';
}

/** Idle connections, one a key, least recently used first out. */
export class ConnectionPool {
  readonly #idle = new Map<string, Connection>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#idle.size;
  }

  /** An idle connection for this key that is still good at `now`, or null. */
  take(key: string, now: number): Connection | null {
    const connection = this.#idle.get(key);
    if (connection === undefined) return null;
    this.#idle.delete(key);
    if (connection.open && now < connection.usableUntil) return connection;
    connection.destroy();
    return null;
  }

  put(connection: Connection): void {
    connection.handler = null;
    this.#idle.get(connection.key)?.destroy();
    this.#idle.delete(connection.key);
    this.#idle.set(connection.key, connection);
    if (this.#idle.size > this.#max) {
      const oldest = this.#idle.values().next().value!;
      this.#idle.delete(oldest.key);
      oldest.destroy();
    }
  }

  /** Forgets a connection that has closed. */
  drop(connection: Connection): void {
    if (this.#idle.get(connection.key) === connection) this.#idle.delete(connection.key);
  }

  /** Closes what has been idle for too long. */
  sweep(now: number): void {
    for (const connection of this.#idle.values()) {
      if (now >= connection.usableUntil) {
        this.#idle.delete(connection.key);
        connection.destroy();
      }
    }
  }

  clear(): void {
    for (const connection of this.#idle.values()) connection.destroy();
    this.#idle.clear();
  }
}
