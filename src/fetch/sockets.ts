/** Opens sockets to pinned addresses: TCP, and TLS with the session of the last visit. */
import { constants } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import type { Target } from './http-messages.js';

export interface TlsOptions {
  /** Refuse certificates that are expired, for another name, or of an unknown issuer; otherwise the fault stands in
   * the result. Default true. */
  readonly rejectUnauthorized?: boolean;
  /** Authorities to trust instead of Node's own list (PEM). */
  readonly ca?: string | Buffer | (string | Buffer)[];
  /** TLS sessions kept for resumption; about 5 KB each. Default 1,024. */
  readonly maxSessions?: number;
}

export class SocketFactory {
  readonly #context: tls.SecureContext;
  readonly #rejectUnauthorized: boolean;
  readonly #maxSessions: number;
  /** Least recently renewed first. */
  readonly #sessions = new Map<string, Buffer>();

  constructor(options: TlsOptions = {}) {
    this.#rejectUnauthorized = options.rejectUnauthorized ?? true;
    this.#maxSessions = options.maxSessions ?? 1024;
    this.#context = tls.createSecureContext({
      ca: options.ca,
      // Servers without RFC 5746: browsers talk to them, and we never renegotiate.
      secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    });
  }

  open(to: Target, address: string, onread: net.OnReadOpts): net.Socket {
    const place = { host: address, port: to.port, onread, autoSelectFamily: false };
    return to.secure ? this.#openTls(to, place) : net.connect(place);
  }

  #openTls(to: Target, place: net.TcpNetConnectOpts & { host: string; port: number }): tls.TLSSocket {
    // A session was authenticated for its name, so it is kept by name: another address of it may resume it.
    const key = to.authority;
    const name = to.host.startsWith('[') ? to.host.slice(1, -1) : to.host;
    const socket = tls.connect({
      ...place,
      // SNI carries names only (RFC 6066, 3).
      servername: net.isIP(name) === 0 ? name : undefined,
      checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
      ALPNProtocols: ['http/1.1'],
      secureContext: this.#context,
      session: this.#sessions.get(key),
      rejectUnauthorized: this.#rejectUnauthorized,
    } as tls.ConnectionOptions);
    // Node does not compare names again when a session is resumed: one with a fault must not be.
    socket.on('session', (session) => socket.authorizationError || this.#remember(key, session));
    return socket;
  }

  #remember(key: string, session: Buffer): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size > this.#maxSessions) this.#sessions.delete(this.#sessions.keys().next().value!);
  }
}
