import { gzipSync } from 'node:zlib';
import { type Beast, behindRobots, once, reply } from '../beast.js';

const bomb = once(() => {
  const member = gzipSync(Buffer.alloc(16 << 20));
  return Buffer.concat(Array.from({ length: 4 }, () => member));
});

export default {
  name: 'gzip-bomb',
  does: 'Sends 64 MiB of zeros in 64 KB of gzip, in four members.',
  must: 'Knows it for a bomb before it takes memory.',
  answer: behindRobots((_, socket) => reply(socket, { fields: 'Content-Encoding: gzip\r\n', body: bomb() })),
  outcome: { codes: { 'decode.bomb': 1 }, pages: 0 },
} satisfies Beast;
