/** What a server of the zoo is, and the words its files are written in. */
import type { Socket } from 'node:net';

/** One request that reached a beast. */
export interface Asked {
  /** Path and query as they came. */
  readonly target: string;
  /** Everything up to the empty line. */
  readonly head: string;
  /** Counts the requests of this beast, from 1. */
  readonly nth: number;
  /** Host name that it is crawled under, and those of the whole zoo: `url('calendar')`. */
  readonly host: string;
  url(beast: string, target?: string, secure?: boolean): string;
}

/** A figure, or its least and most. */
export type Span = number | readonly [least: number, most: number];

/** What must have come of a host when the crawl has ended. */
export interface Outcome {
  /** Code of its (last) robots.txt, or several that it may be; default `http.gone`. */
  readonly robots?: string | readonly string[];
  /** Codes of its other requests, and how often each; no other may occur. */
  readonly codes: Readonly<Record<string, Span>>;
  /** Answers that were kept as pages. */
  readonly pages: Span;
  /** What else is wrong with it; null for nothing. */
  readonly also?: (seen: Seen) => string | null;
}

/** What the store says of a host. */
export interface Seen {
  readonly requests: readonly { kind: string; target: string; code: string; status: number; bytes: number }[];
  readonly visits: readonly { target: string; kind: string; title: string; links: number; duplicateOf: number }[];
  readonly known: number;
  readonly dead: number;
}

export interface Beast {
  /** The label of its host name, in ASCII. */
  readonly name: string;
  /** What it does, and what the crawler must do about it. */
  readonly does: string;
  readonly must: string;
  /** What the crawl begins with; default `/`. */
  readonly entrance?: string;
  readonly scheme?: 'http' | 'https';
  /** Of the folder of certificates; default one that is right. */
  readonly certificate?: 'trusted' | 'expired' | 'early' | 'elsewhere' | 'good';
  /** Nobody listens where it should be. */
  readonly absent?: true;
  /** A connection came. True: all is done, nothing is read. */
  connected?(socket: Socket): boolean;
  /** Answers a request; default: a 404 for robots.txt and for everything else a page without links. */
  answer?(asked: Asked, socket: Socket): unknown;
  readonly outcome: Outcome;
}

/** As often as a failing URL is tried in a short crawl or a long one. */
export const TRIES: Span = [1, 5];

/** Nothing of it is kept, and every request ends in this code (or one of these). */
export const fails = (...codes: string[]): Outcome => ({
  codes: Object.fromEntries(codes.map((code) => [code, codes.length === 1 ? TRIES : ([0, 5] as const)])),
  pages: 0,
});

// -- answers

export interface Reply {
  readonly status?: number;
  readonly type?: string;
  /** Header lines, each with its line end. */
  readonly fields?: string;
  readonly body?: string | Buffer;
}

/** A whole answer with its length. */
export function reply(socket: Socket, { status = 200, type = 'text/html', fields = '', body = '' }: Reply): void {
  const length = Buffer.byteLength(body);
  socket.write(`HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\n${fields}Content-Length: ${length}\r\n\r\n`);
  socket.write(body);
}

export const missing = (socket: Socket): void => reply(socket, { status: 404, body: 'not here' });
export const redirect = (socket: Socket, location: string, fields = ''): void =>
  reply(socket, { status: 302, fields: `Location: ${location}\r\n${fields}` });

/** A page with links; its text is its title's own. */
export const page = (title: string, ...links: string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${links
    .map((href) => `<p><a href="${href}">${title} leads to ${href}</a></p>`)
    .join('\n')}</body></html>`;

/** A beast without a robots.txt that answers the rest so. */
export const behindRobots =
  (answer: (asked: Asked, socket: Socket) => unknown) =>
  (asked: Asked, socket: Socket): unknown =>
    asked.target === '/robots.txt' ? missing(socket) : answer(asked, socket);

/** Writes the same bytes for as long as somebody reads them. */
export function flood(socket: Socket, bytes: Buffer | string): void {
  const chunk = Buffer.from(bytes);
  const pump = (): void => {
    while (!socket.destroyed && socket.write(chunk));
    if (!socket.destroyed) socket.once('drain', pump);
  };
  pump();
}

/** Writes a byte now and then. */
export function drip(socket: Socket, text: string, every = 200): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(text[at++ % text.length]);
  }, every);
  timer.unref();
}

const makers: (() => Buffer)[] = [];

/** Something that takes long to make: made before the first visitor comes, see {@link prepare}. */
export function once(make: () => Buffer): () => Buffer {
  let made: Buffer | null = null;
  const get = (): Buffer => {
    made ??= make();
    return made;
  };
  makers.push(get);
  return get;
}

/** Makes all that takes long: nobody is to wait for it later. */
export function prepare(): void {
  for (const make of makers) make();
}
