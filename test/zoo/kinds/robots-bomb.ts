import { gzipSync } from 'node:zlib';
import { type Beast, once, page, reply } from '../beast.js';

const bomb = once(() => gzipSync(Buffer.alloc(64 << 20)));

export default {
  name: 'robots-bomb',
  does: 'Compresses a robots.txt of 64 MiB into 64 KB.',
  must: 'Reads its first 500 KiB, and finds no rule.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt')
      reply(socket, { type: 'text/plain', fields: 'Content-Encoding: gzip\r\n', body: bomb() });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
