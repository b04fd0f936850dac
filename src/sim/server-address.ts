/**
 * The addresses of the synthetic hosts: names spread over a loopback prefix, the same way the crawler's
 * `--resolve '*.test=127.64.0.0/10'` spreads them.
 */

/** The prefix that the synthetic webs live in; `--allow-private 127.0.0.0/8` opens it. */
export const WEB_PREFIX = '127.64.0.0/10';
/** The value of `--resolve` that sends the crawler to the synthetic web. */
export const WEB_RESOLVE = `*.test=${WEB_PREFIX}`;

/** The address that a host name gets out of an IPv4 prefix. */
export function pinnedAddress(host: string, prefix: string): string {
  const [base, length] = prefix.split('/') as [string, string];
  const network = base.split('.').reduce((value, part) => value * 256 + Number(part), 0);
  let hash = 0x811c9dc5;
  for (let i = 0; i < host.length; i++) hash = Math.imul(hash ^ host.charCodeAt(i), 0x01000193) >>> 0;
  const address = network + (hash % 2 ** (32 - Number(length)));
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
