/**
 * The addresses of the synthetic hosts: names spread over a loopback prefix, the same way the crawler's
 * `--resolve '*.test=127.64.0.0/10'` spreads them.
 */
import { pinnedAddress } from '../fetch/pins.js';

/** The prefix that the synthetic webs live in; `--allow-private 127.0.0.0/8` opens it. */
export const WEB_PREFIX = '127.64.0.0/10';
/** The value of `--resolve` that sends the crawler to the synthetic web. */
export const WEB_RESOLVE = `*.test=${WEB_PREFIX}`;

/** The address of a synthetic host. */
export function webAddress(host: string): string {
  return pinnedAddress(host, WEB_PREFIX);
}
