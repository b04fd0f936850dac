import { gzipSync } from 'node:zlib';
import { type Beast, behindRobots, once, reply } from '../beast.js';

const bomb = once(() => gzipSync(gzipSync(Buffer.alloc(64 << 20))));

export default {
  name: 'nested-bomb',
  does: 'Sends gzip in gzip.',
  must: 'Knows it for a bomb before it takes memory.',
  answer: behindRobots((_, socket) => reply(socket, { fields: 'Content-Encoding: gzip, gzip\r\n', body: bomb() })),
  outcome: { codes: { 'decode.bomb': 1 }, pages: 0 },
} satisfies Beast;
