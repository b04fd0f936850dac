/**
 * A DNS server for tests: UDP on loopback, A and AAAA from a table, and every way to fail.
 */
import { createSocket, type Socket } from 'node:dgram';
import { parseIp } from '../../src/fetch/ip.js';

export interface DnsName {
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  /** Seconds; default 300. */
  readonly ttl?: number;
  /** The name is an alias: a CNAME record, followed by the records of its target. */
  readonly cname?: string;
  /** 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  readonly rcode?: number;
  /** Never answers: for any type, or only for one. */
  readonly silent?: boolean | 'a' | 'aaaa';
  /** Answers after so many milliseconds. */
  readonly delayMs?: number;
  /** Answers with bytes that are no DNS message. */
  readonly garbage?: boolean;
}

const TYPES: Record<number, 'a' | 'aaaa'> = { 1: 'a', 28: 'aaaa' };

export class DnsServer {
  /** Names and what they are; a name that is missing does not exist. May be changed at any time. */
  readonly names: Map<string, DnsName>;
  /** Every query as `name a`, in order. */
  readonly queries: string[] = [];
  readonly #socket: Socket;
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(names: Record<string, DnsName>) {
    this.names = new Map(Object.entries(names));
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (query, from) => {
      const reply = this.#answer(query);
      if (!reply) return;
      const send = () => this.#socket.send(reply.message, from.port, from.address);
      if (reply.delayMs === 0) send();
      else {
        const timer = setTimeout(() => {
          this.#timers.delete(timer);
          send();
        }, reply.delayMs);
        this.#timers.add(timer);
      }
    });
  }

  static async start(names: Record<string, DnsName> = {}): Promise<DnsServer> {
    const server = new DnsServer(names);
    await new Promise<void>((resolve) => server.#socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** `127.0.0.1:PORT`, as `--dns` takes it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #answer(query: Buffer): { message: Buffer; delayMs: number } | null {
    const { name, end } = readName(query, 12);
    const type = TYPES[query.readUInt16BE(end)];
    this.queries.push(`${name} ${type ?? query.readUInt16BE(end)}`);
    const entry = this.names.get(name);
    if (entry?.silent === true || (entry?.silent !== undefined && entry.silent === type)) return null;
    const delayMs = entry?.delayMs ?? 0;
    if (entry?.garbage) return { message: Buffer.concat([query.subarray(0, 2), Buffer.from('nonsense')]), delayMs };
    const records: Buffer[] = [];
    const target = entry?.cname ? this.names.get(entry.cname) : entry;
    if (entry?.cname) records.push(record(name, 5, entry.ttl ?? 300, writeName(entry.cname)));
    const owner = entry?.cname ?? name;
    for (const address of (type && target?.[type]) || []) {
      records.push(record(owner, type === 'a' ? 1 : 28, target?.ttl ?? 300, Buffer.from(parseIp(address)!)));
    }
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (entry ? (entry.rcode ?? 0) : 3), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    return { message: Buffer.concat([header, query.subarray(12, end + 4), ...records]), delayMs };
  }
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  while (message[at] !== 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
    at += 1 + message[at];
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').flatMap((l) => [Buffer.from([l.length]), Buffer.from(l)]),
    Buffer.from([0]),
  ]);
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(name), fixed, data]);
}
