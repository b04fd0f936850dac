/** Listens for the API and the dashboard of a crawl that runs. */
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import type { Steering } from '../embedded/steering.js';
import { UserError } from '../errors.js';
import { createApi } from './api.js';
import { Access } from './api-access.js';

export interface ApiServer {
  /** `http://127.0.0.1:8787/` */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The dashboard as `npm run build` made it. */
const WEB = new URL('./web/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Nothing from elsewhere, nothing written into the page, no frame around it. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
const CONNECTIONS = 128;

/**
 * @param address IP address to listen on
 * @throws UserError if the port is taken or may not be had
 */
export async function serveApi(
  steering: Steering,
  { address, port, token }: { address: string; port: number; token: string },
): Promise<ApiServer> {
  const app = createApi(steering, new Access(token, address), asset);
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = serve(
      { fetch: app.fetch, hostname: address, port, serverOptions: { connectionsCheckingInterval: 2_000 } },
      () => resolve(listening),
    ) as Server;
    listening.on('error', (error: NodeJS.ErrnoException) => reject(refused(error, address, port)));
    listening.maxConnections = CONNECTIONS;
    listening.headersTimeout = 10_000;
    listening.requestTimeout = 30_000;
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${isIPv6(address) ? `[${address}]` : address}:${bound}/`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections(); // those that listen to events never end by themselves
      }),
  };
}

/** A file of the dashboard; null if there is none of that name. Names are those that the build gives: no way leads out. */
async function asset(path: string): Promise<Response | null> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  if (!/^(?:index\.html|assets\/[\w-]+(?:\.[\w-]+)*)$/.test(name)) return null;
  try {
    const bytes = await readFile(fileURLToPath(new URL(name, WEB)));
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    const cache = name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable';
    return new Response(bytes, { headers: { ...HEADERS, 'Content-Type': type, 'Cache-Control': cache } });
  } catch {
    return null;
  }
}

function refused(error: NodeJS.ErrnoException, address: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new UserError(`Port ${port} of ${address} is taken: give another with --admin PORT, or --admin off.`, 1, {
      cause: error,
    });
  }
  if (error.code === 'EACCES') {
    return new UserError(
      `Port ${port} of ${address} may not be opened by this user: give one above 1023 with --admin.`,
      1,
      { cause: error },
    );
  }
  return new UserError(`The dashboard cannot listen on ${address}:${port}: ${error.message}.`, 1, { cause: error });
}
