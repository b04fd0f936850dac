/**
 * Serves a synthetic web on loopback: each host on its own address, all on one port, HTTP/1.1 with keep-alive, plain or over
 * TLS.
 *
 * It speaks over `node:net` directly, since the bench shares two cores with it. Addresses are bound one by one, never
 * 0.0.0.0, so nothing is reachable from outside.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { Connection, type ConnectionOwner } from './server-connection.js';
import type { RequestHead } from './server-http.js';
import type { LoggedRequest } from './server-log.js';
import type { SyntheticWeb, WebAnswer } from './web.js';
import { hashLabel } from './web-random.js';

export interface SyntheticServerOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly addressOf: (host: string) => string;
  /** Key and certificate, PEM: the server speaks TLS only. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Milliseconds that every answer is late, drawn evenly for each target. */
  readonly latency?: readonly [least: number, most: number];
  /** Called when a request has been read, before it is answered. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Called when a request has ended, answered or not. */
  readonly onEnd?: (request: LoggedRequest) => void;
}

/** Ports tried when one is taken on some of the addresses. */
const PORT_TRIES = 20;

/** A running server. */
export class SyntheticServer implements ConnectionOwner {
  readonly web: SyntheticWeb;
  readonly port: number;
  /** Every request since the start, in order of arrival; the last ones may be in flight. */
  readonly log: LoggedRequest[] = [];
  readonly #options: SyntheticServerOptions;
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();
  readonly #firstRequest = new Map<string, number>();

  private constructor(web: SyntheticWeb, port: number, servers: readonly Server[], options: SyntheticServerOptions) {
    this.web = web;
    this.port = port;
    this.#options = options;
    this.#servers = servers;
    for (const server of servers) {
      server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
        this.#sockets.add(socket);
        socket.on('close', () => this.#sockets.delete(socket));
        new Connection(socket, this);
      });
    }
  }

  /**
   * Builds the web for a free port and serves it.
   * @param build gets the port, since the web's links name it
   */
  static async start(
    build: (port: number) => SyntheticWeb | Promise<SyntheticWeb>,
    options: SyntheticServerOptions,
  ): Promise<SyntheticServer> {
    for (let tries = 1; ; tries++) {
      const servers: Server[] = [];
      try {
        // 127.0.0.1 is no host's address: it only finds the port and keeps it.
        const port = await listen(servers, options, options.port ?? 0, '127.0.0.1');
        const web = await build(port);
        for (const address of new Set(web.hosts.map(options.addressOf))) await listen(servers, options, port, address);
        return new SyntheticServer(web, port, servers, options);
      } catch (error) {
        for (const server of servers) server.close();
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!taken || options.port || tries === PORT_TRIES) throw error;
      }
    }
  }

  /** Ends every connection and listener. Requests in flight end unanswered. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  begin(head: RequestHead, address: string, arrived: number): { request: LoggedRequest; answer: WebAnswer } {
    const { host, target, headers } = head;
    const first = this.#firstRequest.get(host) ?? arrived;
    if (first === arrived) this.#firstRequest.set(host, arrived);
    const answer = this.#late(this.web.answer({ host, target, headers, sinceFirst: arrived - first }), host + target);
    const { kind } = answer;
    const request: LoggedRequest = { host, address, target, kind, arrived, ended: Number.NaN, status: 0, bytes: 0 };
    this.log.push(request);
    this.#options.onRequest?.(request);
    return { request, answer };
  }

  end(request: LoggedRequest): void {
    this.#options.onEnd?.(request);
  }

  /** The answer, later by the latency of its target. */
  #late(answer: WebAnswer, label: string): WebAnswer {
    if (this.#options.latency === undefined) return answer;
    const [least, most] = this.#options.latency;
    return { ...answer, delay: answer.delay + least + (hashLabel(1, label) / 2 ** 32) * (most - least) };
  }
}

/** Adds a listener on `address` to `servers` and returns its port. */
async function listen(
  servers: Server[],
  { tls }: SyntheticServerOptions,
  port: number,
  address: string,
): Promise<number> {
  const server = tls === undefined ? createServer({ noDelay: true }) : createSecureServer({ ...tls, noDelay: true });
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, backlog: 128 }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return (server.address() as { port: number }).port;
}
