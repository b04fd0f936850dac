import { gzipSync } from 'node:zlib';
import { type Beast, behindRobots, once, page, reply } from '../beast.js';

const large = once(() =>
  gzipSync(Array.from({ length: 180_000 }, (_, i) => `<p>${String(i % 997).padEnd(76, 'a word ')}</p>\n`).join('')),
);

export default {
  name: 'almost-bomb',
  does: 'Has pages of 15 MB in 500 KB of gzip: no bomb, and yet.',
  must: 'Reads them, one at a time.',
  answer: behindRobots(({ target, host }, socket) => {
    if (target === '/') reply(socket, { body: page(`almost ${host}`, '/1', '/2', '/3') });
    else reply(socket, { fields: 'Content-Encoding: gzip\r\n', body: large() });
  }),
  outcome: { codes: { ok: 4 }, pages: [2, 4] },
} satisfies Beast;
