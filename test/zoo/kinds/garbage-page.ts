import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'garbage-page',
  does: 'Sends two megabytes of random bytes as HTML.',
  must: 'Takes them for a page, or for something that is none, and goes on.',
  answer: behindRobots((_, socket) => {
    let state = 1;
    const bytes = Buffer.alloc(2 << 20);
    for (let i = 0; i < bytes.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[i] = state >>> 24;
    }
    reply(socket, { body: bytes });
  }),
  outcome: { codes: { ok: [1, 40] }, pages: [1, 40] },
} satisfies Beast;
