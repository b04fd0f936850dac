/**
 * The control socket of a running crawl: a line of JSON in, a line of JSON out. Only the user who runs the crawl can
 * connect (mode 0600). What the lines mean is the handler's business.
 *
 *     {"verb": "block", "host": "www.example.org", "reason": "its owner asked"}
 *     {"ok": true, "answer": {...}}   or   {"ok": false, "error": "...", "exitCode": 1}
 */
import { createServer, type Server, type Socket } from 'node:net';
import { UserError } from '../errors.js';
import { prepareSocket } from './control-path.js';

/** What comes back for one line. */
export type ControlReply =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: string; readonly exitCode: 1 | 2 };

export interface ControlLimits {
  /** Bytes of a line. */
  readonly line: number;
  readonly connections: number;
  /** ms without a line after which a connection is closed. */
  readonly idle: number;
  /** ms that an answer under way has when the server closes. */
  readonly grace: number;
}

const LIMITS: ControlLimits = { line: 64 * 1024, connections: 16, idle: 10_000, grace: 1_000 };

export interface ControlServer {
  /** Stops listening, lets answers under way be written, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Listens in the directory of a crawl; the caller holds its lock.
 * @param handle does what a line asks and gives the answer; throws UserError for what the asker can mend
 * @throws Error if the file system has no sockets
 */
export async function serveControl(
  dir: string,
  handle: (request: unknown) => Promise<unknown>,
  limits: Partial<ControlLimits> = {},
): Promise<ControlServer> {
  const place = prepareSocket(dir);
  const connections = new Set<Connection>();
  const { connections: most, ...rest } = { ...LIMITS, ...limits };
  const server = createServer((socket) => {
    if (connections.size >= most) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, handle, { ...rest, connections: most });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  try {
    await listen(server, place.name);
    place.publish();
  } catch (error) {
    server.close();
    place.remove();
    throw error;
  }
  server.unref();
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.close(rest.grace);
      place.remove();
      await closed;
    },
  };
}

async function listen(server: Server, name: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(name, () => {
      server.off('error', reject);
      server.on('error', () => {}); // a connection that could not be accepted: the next one may
      resolve();
    });
  });
}

/** One asker: its lines are answered one after another. */
class Connection {
  readonly #socket: Socket;
  readonly #handle: (request: unknown) => Promise<unknown>;
  readonly #limits: ControlLimits;
  #received: Buffer = Buffer.alloc(0);
  #isBusy = false;
  #isClosing = false;

  constructor(socket: Socket, handle: (request: unknown) => Promise<unknown>, limits: ControlLimits) {
    this.#socket = socket;
    this.#handle = handle;
    this.#limits = limits;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.setTimeout(limits.idle, () => {
      if (!this.#isBusy) socket.destroy();
    });
  }

  close(grace: number): void {
    this.#isClosing = true;
    if (!this.#isBusy) this.#socket.destroy();
    else setTimeout(() => this.#socket.destroy(), grace).unref();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (!this.#isBusy) this.#next();
    // what comes meanwhile waits in the socket
    else if (this.#received.length > this.#limits.line) this.#socket.pause();
  }

  #next(): void {
    const end = this.#received.indexOf(0x0a);
    if (end > this.#limits.line || (end < 0 && this.#received.length > this.#limits.line)) {
      this.#isBusy = true; // nothing more is read
      this.#socket.pause();
      const error = `a line has at most ${this.#limits.line} bytes`;
      this.#socket.end(encode({ ok: false, error, exitCode: 2 }));
      this.#socket.destroySoon();
      return;
    }
    if (end < 0) {
      this.#socket.resume();
      return;
    }
    const line = this.#received.toString('utf8', 0, end);
    this.#received = this.#received.subarray(end + 1);
    this.#isBusy = true;
    void this.#answer(line).then((reply) => {
      this.#isBusy = false;
      if (this.#socket.destroyed) return;
      this.#socket.write(encode(reply));
      if (this.#isClosing) this.#socket.destroySoon();
      else this.#next();
    });
  }

  /** Never rejects. */
  async #answer(line: string): Promise<ControlReply> {
    try {
      return { ok: true, answer: await this.#handle(parse(line)) };
    } catch (error) {
      const exitCode = error instanceof UserError ? error.exitCode : 1;
      return { ok: false, error: (error as Error).message, exitCode };
    }
  }
}

const encode = (reply: ControlReply): string => `${JSON.stringify(reply)}\n`;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UserError('a line has to be JSON', 2);
  }
}
