import { type Beast, behindRobots, once, reply } from '../beast.js';

/** Blocks that say "128 KiB of one byte" in four bytes (RFC 8878, 3.1.1.2.2). */
const bomb = once(() => {
  const block = Buffer.from([2, 0, 0x10, 0]);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x68]), Buffer.alloc(10_000, block)]);
});

export default {
  name: 'zstd-bomb',
  does: 'Sends 300 MiB of zeros in 10 KB of zstd.',
  must: 'Knows it for a bomb before it takes memory.',
  answer: behindRobots((_, socket) => reply(socket, { fields: 'Content-Encoding: zstd\r\n', body: bomb() })),
  outcome: { codes: { 'decode.bomb': 1 }, pages: 0 },
} satisfies Beast;
