/** Serves all beasts, each at an address of its own on loopback: many copies of the zoo are one server. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { type Asked, type Beast, missing, page, prepare, reply } from './beast.js';

/** All kinds, by the names of their files. */
export async function allBeasts(): Promise<Beast[]> {
  const folder = new URL('kinds/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.d.ts'));
  const modules = await Promise.all(files.sort().map((name) => import(new URL(name, folder).href)));
  return modules.map((module) => module.default as Beast);
}

/** A beast in one of the copies. */
export interface Cage {
  readonly beast: Beast;
  readonly host: string;
  readonly address: string;
  readonly seed: string;
}

export interface ZooOptions {
  readonly copies?: number;
  /** Folder of certificates. */
  readonly certificates: string;
}

export class Zoo {
  readonly cages: Cage[] = [];
  readonly #sockets = new Set<net.Socket>();
  readonly #servers: net.Server[] = [];
  readonly #byAddress = new Map<string, Cage>();
  readonly #asked = new Map<Cage, number>();
  readonly #contexts = new Map<string, tls.SecureContext>();
  #port = 0;
  #securePort = 0;
  #closedPort = 0;

  static async open(beasts: readonly Beast[], { copies = 1, certificates }: ZooOptions): Promise<Zoo> {
    prepare();
    const zoo = new Zoo();
    zoo.#port = await zoo.#listen((socket, cage) => zoo.#serve(socket, cage, false));
    zoo.#securePort = await zoo.#listen((socket, cage) => zoo.#secure(socket, cage));
    // opened and closed: nobody listens there
    zoo.#closedPort = await zoo.#listen(() => {});
    zoo.#servers.pop()!.close();
    for (const name of ['trusted', 'expired', 'early', 'elsewhere', 'good']) {
      const read = (file: string) => readFileSync(`${certificates}/${file}`);
      zoo.#contexts.set(name, tls.createSecureContext({ key: read('good.key'), cert: read(`${name}.pem`) }));
    }
    for (let copy = 0; copy < copies; copy++) {
      for (const [index, beast] of beasts.entries()) zoo.#cage(beast, index, copy);
    }
    return zoo;
  }

  /** Pins for `--resolve`, which give each host its address. */
  get pins(): string[] {
    return this.cages.map(({ host, address }) => `${host}=${address}`);
  }

  /** Connections that stand. */
  get visitors(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #cage(beast: Beast, index: number, copy: number): void {
    const host = hostName(beast.name, copy);
    const address = `127.${64 + copy}.0.${index + 1}`;
    const port = beast.absent ? this.#closedPort : undefined;
    const seed = this.#url(host, beast.entrance, beast.scheme === 'https', port);
    const cage = { beast, host, address, seed };
    this.cages.push(cage);
    this.#byAddress.set(address, cage);
  }

  #url(host: string, target = '/', secure = false, port = secure ? this.#securePort : this.#port): string {
    return `http${secure ? 's' : ''}://${host}:${port}${target}`;
  }

  async #listen(take: (socket: net.Socket, cage: Cage) => void): Promise<number> {
    const server = net.createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      const cage = this.#byAddress.get(socket.localAddress ?? '');
      if (cage === undefined) socket.destroy();
      else take(socket, cage);
    });
    server.listen(0, '0.0.0.0', 4096);
    await once(server, 'listening');
    this.#servers.push(server);
    return (server.address() as net.AddressInfo).port;
  }

  #secure(socket: net.Socket, cage: Cage): void {
    if (cage.beast.connected?.(socket)) return;
    const secureContext = this.#contexts.get(cage.beast.certificate ?? 'trusted');
    const secured = new tls.TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => {});
    this.#serve(secured, cage, true);
  }

  #serve(socket: net.Socket, cage: Cage, secure: boolean): void {
    if (!secure && cage.beast.connected?.(socket)) return;
    let pending = '';
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end + 4);
        pending = pending.slice(end + 4);
        this.#answer(head, socket, cage);
      }
    });
  }

  #answer(head: string, socket: net.Socket, cage: Cage): void {
    const nth = (this.#asked.get(cage) ?? 0) + 1;
    this.#asked.set(cage, nth);
    const { host } = cage;
    const copy = Number(/^copy(\d+)-/.exec(host)?.[1] ?? 0);
    const url: Asked['url'] = (name, target, secure) => this.#url(hostName(name, copy), target, secure);
    const asked: Asked = { target: head.split(' ')[1] ?? '', head, nth, host, url };
    if (cage.beast.answer !== undefined) cage.beast.answer(asked, socket);
    else if (asked.target === '/robots.txt') missing(socket);
    else reply(socket, { body: page(cage.beast.name) });
  }
}

const hostName = (beast: string, copy: number): string => `${copy === 0 ? '' : `copy${copy}-`}${beast}.zoo.test`;
