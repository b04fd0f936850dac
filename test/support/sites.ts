/**
 * Small web sites on loopback for end-to-end tests: hosts by name or address on one port, answers from functions, and a
 * log of everything that was asked, on the monotonic clock.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Asked {
  /** From the Host header, without the port; the address it came to. */
  host: string;
  address: string;
  target: string;
  headers: IncomingHttpHeaders;
  /** Monotonic ms: the request came, its answer was handed over (NaN before). */
  at: number;
  ended: number;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** ms before the answer. */
  wait?: number;
  /** Writes the answer itself. */
  raw?: (response: ServerResponse) => void;
}

/** A page, or a whole answer, or nothing (404). */
export type Site = (target: string, asked: Asked) => string | Answer | undefined;

export class Sites {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #hosts: Record<string, Site>;
  /** Everything that was asked, in order. */
  readonly log: Asked[] = [];
  /** Connections that were accepted, by the address they came to. */
  readonly connections = new Map<string, number>();
  port = 0;

  private constructor(hosts: Record<string, Site>) {
    this.#hosts = hosts;
  }

  /** @param hosts sites by host name or address, as in the Host header; `*` answers for all others
   * @param addresses loopback addresses to listen at, all on one port (0: a free one) */
  static async start(
    hosts: Record<string, Site>,
    addresses: readonly string[] = ['127.0.0.1'],
    port = 0,
  ): Promise<Sites> {
    const sites = new Sites(hosts);
    sites.port = port;
    for (const address of addresses) await sites.#listen(address);
    return sites;
  }

  /** URL of a target. */
  url(host: string, target = '/'): string {
    return `http://${host}:${this.port}${target}`;
  }

  /** Targets that were asked of a host, in order; without robots.txt unless `all`. */
  asked(host: string, all = false): string[] {
    return this.log.filter((r) => r.host === host && (all || r.target !== '/robots.txt')).map((r) => r.target);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #listen(address: string): Promise<void> {
    const server = createServer((request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      const asked: Asked = {
        ...{ host, address, target: request.url ?? '', headers: request.headers },
        ...{ at: performance.now(), ended: Number.NaN },
      };
      this.log.push(asked);
      const site = this.#hosts[host] ?? this.#hosts['*'];
      const answer = site?.(asked.target, asked) ?? { status: 404 };
      const given = typeof answer === 'string' ? { body: answer } : answer;
      setTimeout(() => {
        asked.ended = performance.now(); // before it is written: afterwards the client may already be at the next
        reply(response, given);
      }, given.wait ?? 0);
    });
    server.on('connection', (socket) => {
      this.connections.set(address, (this.connections.get(address) ?? 0) + 1);
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.listen(this.port, address);
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#servers.push(server);
  }
}

function reply(response: ServerResponse, { status = 200, headers, body = '', raw }: Answer): void {
  if (raw !== undefined) {
    raw(response);
    return;
  }
  const length = Buffer.byteLength(body);
  const base = { 'Content-Type': 'text/html; charset=utf-8', ...(status === 304 ? {} : { 'Content-Length': length }) };
  response.writeHead(status, { ...base, ...headers });
  response.end(body);
}

/** Links to these targets or URLs, in a page. */
export const links = (...targets: readonly string[]): string =>
  `<!doctype html><title>links</title>${targets.map((target) => `<p><a href="${target}">${target}</a>`).join('\n')}`;

export const redirect = (location: string, status = 302, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { Location: location, ...headers },
});
