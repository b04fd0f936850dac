/**
 * The request side of HTTP/1.1, as much of it as a synthetic server needs: heads of GET and HEAD requests without a
 * body, from a connection that is kept alive. Strict, so that a crawler that sends nonsense is found out.
 */

/** Most bytes of a request head. */
const HEAD_LIMIT = 64 * 1024;

export class HeadTooLarge extends Error {}

/** Bytes of one connection that have not been served yet. */
export class RequestBuffer {
  #bytes: Buffer = Buffer.alloc(0);

  get empty(): boolean {
    return this.#bytes.length === 0;
  }

  /** @throws HeadTooLarge when more is waiting than any head may have */
  push(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > HEAD_LIMIT) throw new HeadTooLarge();
  }

  /** The next whole head, without its empty line, or null if it has not all come. */
  takeHead(): string | null {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const head = this.#bytes.toString('latin1', 0, end);
    this.#bytes = this.#bytes.subarray(end + 4);
    return head;
  }
}

export interface RequestHead {
  readonly method: 'GET' | 'HEAD';
  readonly target: string;
  /** From the Host header: lower case, without the port. */
  readonly host: string;
  readonly headers: Record<string, string>;
  readonly close: boolean;
}

/** The head of a request, or null if it is not one this server serves: another method, a version other than 1.1, no
 * Host (RFC 9112, 3.2), a target that is no path, a header line without a colon. */
export function parseHead(text: string): RequestHead | null {
  const lines = text.split('\r\n');
  const [method, target, version] = lines[0]!.split(' ');
  if ((method !== 'GET' && method !== 'HEAD') || version !== 'HTTP/1.1' || !target?.startsWith('/')) return null;
  const headers: Record<string, string> = {};
  for (let i = 1; i < lines.length; i++) {
    const colon = lines[i]!.indexOf(':');
    if (colon <= 0) return null;
    headers[lines[i]!.slice(0, colon).toLowerCase()] = lines[i]!.slice(colon + 1).trim();
  }
  const authority = headers.host;
  if (authority === undefined) return null;
  const host = authority.replace(/:\d*$/, '').toLowerCase();
  return { method, target, host, headers, close: headers.connection?.toLowerCase() === 'close' };
}
