/** The services of a crawl by its configuration: where it listens, and whom it talks to that is no site of the web. */
import { lookup } from 'node:dns/promises';
import type { Config } from '../config/config.js';
import type { OwnSocket } from '../fetch/own-sockets.js';
import { serverSocket } from '../fetch/resolver.js';
import { parseUrl } from '../parse-url.js';

/** All of them, as the address guard refuses them: the dashboard and API, DNS servers, the receiver of traces. A name
 * stands beside the addresses that it has now; no look-up takes longer than `timeout.dns`. */
export async function servicesOf(config: Config): Promise<OwnSocket[]> {
  const services: OwnSocket[] = config.dns.map((server) => serverSocket(server)).filter((socket) => socket !== null);
  if (config.admin !== Number.POSITIVE_INFINITY) {
    services.push({ address: config.adminAddress ?? '127.0.0.1', port: config.admin });
  }
  const endpoint = config['trace.endpoint'];
  if (endpoint !== null) services.push(...(await socketsOf(endpoint, config['timeout.dns'])));
  return services;
}

/** Asked as whoever connects there asks: by the system. A name without an address has none now. */
async function socketsOf(endpoint: string, timeout: number): Promise<OwnSocket[]> {
  const { hostname, port: text, protocol } = parseUrl(endpoint)!;
  const port = Number(text || (protocol === 'https:' ? 443 : 80));
  const name = hostname.replace(/^\[|\]$|\.$/g, '');
  const none: { address: string }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof none>((resolve) => {
    timer = setTimeout(resolve, timeout, none);
  });
  const found = await Promise.race([lookup(name, { all: true }).catch(() => none), late]);
  clearTimeout(timer);
  return [{ address: name, port }, ...found.map(({ address }) => ({ address, port }))];
}
