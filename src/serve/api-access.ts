/**
 * Who may ask the API: whoever has the token, from a page of ours or from no page at all. A browser on this machine must
 * not become the tool of a page that it shows, so the Host (against DNS rebinding) and the Origin are checked before
 * the token is (DESIGN 11).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostname as machineName } from 'node:os';
import { parseIp } from '../fetch/ip.js';

/** A new token: 192 random bits. */
export const newToken = (): string => randomBytes(24).toString('base64url');

export interface Refusal {
  status: 401 | 403 | 421;
  detail: string;
}

export class Access {
  readonly #token: Buffer;
  readonly #isOpen: boolean;

  /** @param address that the server listens on */
  constructor(token: string, address: string) {
    this.#token = digest(token);
    this.#isOpen = address !== '127.0.0.1' && address !== '::1' && address !== 'localhost';
  }

  /** Why a request is refused whatever it asks for, or null. */
  refuse(headers: Headers): Refusal | null {
    const host = headers.get('host') ?? '';
    if (!this.#isOurName(nameOf(host))) {
      return {
        status: 421,
        detail: `This is no server for the host ${quoted(host)}: use the address that it was started with.`,
      };
    }
    const origin = headers.get('origin');
    if (origin !== null && origin !== `http://${host}`) {
      return { status: 403, detail: `Pages of ${quoted(origin)} may not ask this crawl.` };
    }
    if (headers.get('sec-fetch-site') === 'cross-site') {
      return { status: 403, detail: 'Pages of other sites may not ask this crawl.' };
    }
    return null;
  }

  /** Why a request without the right token is refused, or null. */
  refuseStranger(headers: Headers): Refusal | null {
    const [scheme, token = ''] = (headers.get('authorization') ?? '').split(' ', 2);
    if (scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(token), this.#token)) return null;
    return {
      status: 401,
      detail:
        'A token is needed: send "Authorization: Bearer TOKEN" with the one that the crawl printed when it began.',
    };
  }

  /** Names of other machines can be made to mean this one; addresses cannot. */
  #isOurName(name: string): boolean {
    if (name === 'localhost' || name === '127.0.0.1' || name === '[::1]') return true;
    if (!this.#isOpen) return false;
    return parseIp(name.replace(/^\[|\]$/g, '')) !== null || name === machineName().toLowerCase();
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const nameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '');

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));
