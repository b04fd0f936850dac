import { gzipSync } from 'node:zlib';
import { type Beast, once, page, reply } from '../beast.js';

const bomb = once(() => gzipSync(Buffer.alloc(64 << 20, '<url>')));

export default {
  name: 'sitemap-bomb',
  does: 'Compresses a sitemap of 64 MiB into 64 KB.',
  must: 'Knows it for a bomb before it takes memory.',
  answer: ({ target, url }, socket) => {
    const own = (path: string) => url('sitemap-bomb', path);
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: `Sitemap: ${own('/sitemap.xml')}\n` });
    else if (target.startsWith('/sitemap')) reply(socket, { type: 'application/gzip', body: bomb() });
    else reply(socket, { body: page(`page ${target}`) });
  },
  outcome: { robots: 'ok', codes: { ok: 1, 'decode.bomb': 1 }, pages: 1 },
} satisfies Beast;
