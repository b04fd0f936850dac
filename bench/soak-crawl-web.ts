/** The web of `soak-crawl.ts`: that of the kill tests, with servers that are slow or fail now and then, and a name server
 * that can fall silent. */
import { SyntheticServer } from '../src/sim/server.js';
import { webAddress } from '../src/sim/server-address.js';
import type { LoggedRequest } from '../src/sim/server-log.js';
import { plainAnswer, type SyntheticWeb, type WebAnswer, type WebRequest } from '../src/sim/web.js';
import { createKillWeb } from '../src/sim/web-kill.js';
import { randomFor } from '../src/sim/web-random.js';
import { DnsServer } from '../test/support/dns-server.js';

export interface FaultyWebOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
}

/** Most milliseconds that a slow answer takes: under every timeout. */
const SLOWEST = 3_000;
/** Seconds that an address may be kept, so that an outage of the name server is felt. */
const TTL = 2;

export class FaultyWeb {
  readonly #server: SyntheticServer;
  readonly #dns: DnsServer;

  private constructor(server: SyntheticServer, dns: DnsServer) {
    this.#server = server;
    this.#dns = dns;
  }

  static async start(options: FaultyWebOptions): Promise<FaultyWeb> {
    const server = await SyntheticServer.start(
      (port) => faulty(createKillWeb(options, { port, addressOf: webAddress }), options.seed),
      { addressOf: webAddress },
    );
    const names = server.web.hosts.map((host) => [host, { a: [webAddress(host)], ttl: TTL }]);
    return new FaultyWeb(server, await DnsServer.start(Object.fromEntries(names)));
  }

  get web(): SyntheticWeb {
    return this.#server.web;
  }
  /** The value of `--dns`. */
  get resolver(): string {
    return this.#dns.address;
  }
  get log(): readonly LoggedRequest[] {
    return this.#server.log;
  }

  /** From now on the name server answers nothing, or answers again. */
  silence(silent: boolean): void {
    for (const [name, entry] of this.#dns.names) this.#dns.names.set(name, { ...entry, silent });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#server.stop(), this.#dns.stop()]);
  }
}

/** Some answers are slow, some fail the first two times. Which, is in the seed. */
function faulty(web: SyntheticWeb, seed: number): SyntheticWeb {
  const asked = new Map<string, number>();
  const answer = (request: WebRequest): WebAnswer => {
    const url = request.host + request.target;
    const random = randomFor(seed, `faults ${url}`);
    const luck = random.float();
    const times = (asked.get(url) ?? 0) + 1;
    asked.set(url, times);
    const plain = web.answer(request);
    if (luck < 0.02) return { ...plain, delay: random.between(500, SLOWEST) };
    if (luck < 0.04 && times <= 2) return plainAnswer('error', 500, 'text/plain', 'try again\n');
    if (luck < 0.05 && times <= 1) return plainAnswer('error', 503, 'text/plain', 'busy\n', { 'Retry-After': '1' });
    return plain;
  };
  return { ...web, answer, reachable: () => web.reachable() };
}
