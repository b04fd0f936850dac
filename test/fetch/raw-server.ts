/** Small raw TCP and TLS servers on loopback for the tests of the HTTP client: they say exactly the bytes they are told. */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** Connections accepted so far. */
  connections: number;
  /** Request heads received so far, in order. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Called for each request head that has come whole. */
export type Answer = (socket: net.Socket, head: string, count: number) => unknown;

/** Starts a server; `answer` is asked for every request, `count` counts them from 1 over all connections. */
export async function rawServer(answer: Answer, secure?: tls.TlsOptions): Promise<RawServer> {
  const sockets = new Set<net.Socket>();
  const onConnection = (socket: net.Socket): void => {
    result.connections++;
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end + 4);
        pending = pending.slice(end + 4);
        result.requests.push(head);
        void answer(socket, head, result.requests.length);
      }
    });
  };
  const server = secure
    ? tls.createServer(secure, onConnection).on('tlsClientError', () => {})
    : net.createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const result: RawServer = {
    port,
    url: `http${secure ? 's' : ''}://127.0.0.1:${port}`,
    connections: 0,
    requests: [],
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return result;
}

/** An answer of 200 with a Content-Length. */
export const page = (body: string, fields = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
