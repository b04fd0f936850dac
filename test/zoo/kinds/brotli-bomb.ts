import { brotliCompressSync, constants } from 'node:zlib';
import { type Beast, behindRobots, once, reply } from '../beast.js';

const bomb = once(() =>
  brotliCompressSync(Buffer.alloc(64 << 20), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
);

export default {
  name: 'brotli-bomb',
  does: 'Sends 64 MiB of zeros in a few bytes of brotli.',
  must: 'Knows it for a bomb before it takes memory.',
  answer: behindRobots((_, socket) => reply(socket, { fields: 'Content-Encoding: br\r\n', body: bomb() })),
  outcome: { codes: { 'decode.bomb': 1 }, pages: 0 },
} satisfies Beast;
