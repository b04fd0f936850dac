/** What goes into {@link HttpClient.fetch} and what comes out of it; how a status becomes an outcome code. */
import { isIP } from 'node:net';
import type { OutcomeCode } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import type { HeaderList } from './http-headers.js';
import type { Truncation } from './http-response.js';

export interface FetchRequest {
  /** The exact URL to ask for (http or https). A fragment and credentials are never sent. */
  readonly url: string;
  /** The guarded IP address that the connection goes to: nothing is looked up. The port is the URL's. */
  readonly address: string;
  /** User-Agent, Accept, validators. Host, Connection, Accept-Encoding and Cookie are written by the client. */
  readonly headers: readonly (readonly [string, string])[];
  readonly method?: 'GET';
  readonly caps: FetchCaps;
  readonly cookie?: string;
  /** Asked right before the request is written (a lease may have ended meanwhile); false sends nothing and ends in
   * `lease.returned`. */
  readonly allowed?: () => boolean;
  /** Ends the fetch at once, as `lease.returned`. */
  readonly signal?: AbortSignal;
}

/** Caps on one body (DESIGN 7). */
export interface FetchCaps {
  /** Bytes on the wire, without transfer coding; more is cut and said to be. */
  readonly wire: number;
  /** Bytes after decoding; more is cut and said to be. */
  readonly decoded: number;
  /** Decoded bytes per byte on the wire that make a bomb, from `ratioFrom` decoded bytes on. */
  readonly ratio: number;
  readonly ratioFrom: number;
  /** A Content-Length over `wire` stops before the body (`body.length` for a 2xx). */
  readonly lengthStops: boolean;
  /** Gunzip by magic number whatever the media type is; without it only types that should be text. */
  readonly gunzip?: boolean;
  /** Asked for a 2xx with its media type (lower-case, without parameters, '' if missing): false stops before the body
   * (`body.type`). */
  readonly accept?: (mediaType: string) => boolean;
  /** Asked of every answer with its media type, before `accept`: true stops before the body (`body.refused` for a 2xx). */
  readonly refuse?: (mediaType: string) => boolean;
  /** Other caps for some media types, asked before `accept`. */
  readonly capsFor?: (mediaType: string) => Partial<FetchCaps>;
}

/** Milliseconds, but for `slowBytesPerSecond`. */
export interface FetchTimeouts {
  readonly connect: number;
  readonly tls: number;
  /** From the last byte of the request to the first of the answer. */
  readonly firstByte: number;
  /** From the start of the connection to the last byte. */
  readonly whole: number;
  /** An answer that brings fewer bytes a second than this over `slowAfter` ms is given up. */
  readonly slowBytesPerSecond: number;
  readonly slowAfter: number;
}

export const DEFAULT_TIMEOUTS: FetchTimeouts = {
  connect: 5_000,
  tls: 5_000,
  firstByte: 10_000,
  whole: 30_000,
  slowBytesPerSecond: 1024,
  slowAfter: 10_000,
};

export interface FetchResult {
  readonly code: OutcomeCode;
  /** What exactly went wrong, for logs and the history of a dead letter; '' where nothing did. */
  readonly detail: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly reason: string;
  /** The bytes sent; empty if nothing was. The server may know of the request exactly if this is not empty. */
  readonly requestHead: Buffer;
  /** From the status line to the empty line, as they came; interim answers and junk before it are not in it. */
  readonly responseHead: Buffer;
  readonly headers: HeaderList;
  /** The entity: transfer coding removed, content coding kept. */
  readonly payload: Buffer;
  /** The payload without its content coding. */
  readonly body: Buffer;
  /** Why `body` is not all of it: cut by a cap (on either side of the decoding), by time, by the peer. */
  readonly truncated: Truncation | null;
  /** Why `payload` is not all of it: what a WARC record calls WARC-Truncated. */
  readonly payloadTruncated: Truncation | null;
  /** Location, to be resolved against the URL; bytes over 0x7F percent-encoded as they came. */
  readonly location: string | null;
  /** Retry-After in ms from the end, at most 24 h. */
  readonly retryAfterMs: number | null;
  /** Milliseconds of the machine's monotonic clock, the same in all threads. `firstByte` is 0 where none came; `ended` is
   * when the last byte came or the fault was met. */
  readonly started: number;
  readonly firstByte: number;
  readonly ended: number;
  /** How much of that time this thread was too busy to read: not the server's fault. */
  readonly blocked: number;
  /** Bytes received, heads and framing included, TLS records not. */
  readonly bytes: number;
  /** What is wrong with the server's certificate, where that is recorded and not refused. */
  readonly certificate: CertificateFault | null;
  /** Sent on a connection that had carried a request before. */
  readonly reused: boolean;
}

/** Where a request goes. */
export interface Target {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Value of the Host field. */
  readonly authority: string;
  /** Path and query, as in the URL. */
  readonly path: string;
}

const CHEAP_URL = /^http(s?):\/\/([a-z0-9._-]+)(?::(\d{1,5}))?([/?][!-"$-~]*)?$/;

/** Splits an http(s) URL; null for anything else. A URL that is spelt as the WHATWG serialiser spells it is taken to
 * pieces as it is, any other is parsed first, so nothing that ends a line or a word can get into the request. */
export function parseTarget(url: string): Target | null {
  const cheap = CHEAP_URL.exec(url);
  if (cheap) return target(cheap[1] === 's', cheap[2], cheap[3] ?? '', cheap[4] ?? '/');
  const parsed = parseUrl(url);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  return target(parsed.protocol === 'https:', parsed.hostname, parsed.port, parsed.pathname + parsed.search);
}

function target(secure: boolean, host: string, portText: string, path: string): Target | null {
  const usual = secure ? 443 : 80;
  const port = portText === '' ? usual : Number(portText);
  if (port < 1 || port > 65535) return null;
  const authority = port === usual ? host : `${host}:${port}`;
  return { secure, host, port, authority, path: path.startsWith('/') ? path : `/${path}` };
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const FIELD_VALUE = /^[^\0\r\n]*$/;
const OWN_FIELDS = new Set(['host', 'connection', 'accept-encoding', 'cookie', 'content-length', 'transfer-encoding']);

/** The bytes of a request. Fields that would break out of their line, and those that belong to the client, are left
 * out. Values are Latin-1. */
export function encodeRequest(to: Target, request: FetchRequest, keepAlive: boolean): Buffer {
  let text = `GET ${to.path} HTTP/1.1\r\nHost: ${to.authority}\r\n`;
  for (const [name, value] of request.headers) {
    if (FIELD_NAME.test(name) && FIELD_VALUE.test(value) && !OWN_FIELDS.has(name.toLowerCase())) {
      text += `${name}: ${value}\r\n`;
    }
  }
  text += 'Accept-Encoding: gzip, br, deflate\r\n';
  if (request.cookie && FIELD_VALUE.test(request.cookie)) text += `Cookie: ${request.cookie}\r\n`;
  return Buffer.from(`${text}Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`, 'latin1');
}

/** 3xx whose Location counts; 304 is an answer to a validator. */
export const isRedirection = (status: number): boolean => status >= 300 && status < 400 && status !== 304;

/** What an answer means by its status alone. */
export function statusCode(status: number, location: string | null): OutcomeCode {
  if (status >= 200 && status < 300) return 'ok';
  if (status === 304) return 'not-modified';
  if (isRedirection(status)) return location === null ? 'http.status' : 'redirect';
  if (status === 404 || status === 410) return 'http.gone';
  if (status === 429 || status === 503) return 'http.throttled';
  if (status >= 400 && status < 500) return 'http.client';
  return status >= 500 && status < 600 ? 'http.server' : 'http.status';
}

/** The code of a socket error before a connection stands. Running out of our own sockets is nobody's fault but ours. */
export function connectErrorCode(error: NodeJS.ErrnoException): OutcomeCode {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'connect.refused';
    case 'ETIMEDOUT':
      return 'connect.timeout';
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOBUFS':
    case 'ENOMEM':
    case 'EADDRNOTAVAIL':
      return 'lease.returned';
    default:
      return 'connect.failed';
  }
}

/** What is wrong with a certificate, by OpenSSL's verification results and Node's own host-name check. */
export type CertificateFault = Extract<OutcomeCode, 'tls.expired' | 'tls.name' | 'tls.untrusted' | 'tls.certificate'>;

const CERTIFICATE_FAULTS: readonly (readonly [RegExp, CertificateFault])[] = [
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, 'tls.expired'],
  [/^(?:ERR_TLS_CERT_ALTNAME_|HOSTNAME_)/, 'tls.name'],
  [/^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED$|CERT_CHAIN_TOO_LONG$|INVALID_CA$)/, 'tls.untrusted'],
  [/^(?:CERT_|CRL_|ERROR_IN_CERT|INVALID_PURPOSE|PATH_LENGTH_|ERR_TLS_CERT_)/, 'tls.certificate'],
];

/** The code of a certificate's fault (`CERT_HAS_EXPIRED`), or null where `fault` is about something else. */
export function certificateFault(fault: string): CertificateFault | null {
  return CERTIFICATE_FAULTS.find(([pattern]) => pattern.test(fault))?.[1] ?? null;
}

/** The code of an error during the TLS handshake. */
export const handshakeErrorCode = (error: NodeJS.ErrnoException): OutcomeCode =>
  certificateFault(error.code ?? '') ?? 'tls.failed';

/** Whether `address` can be connected to without any look-up. */
export const isAddress = (address: string): boolean => isIP(address) !== 0;
