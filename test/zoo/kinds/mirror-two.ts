import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'mirror-two',
  does: 'Has the same pages as its twin.',
  must: 'Keeps each once.',
  answer: behindRobots(({ target }, socket) => {
    reply(socket, { body: page(`mirrored ${target}`, ...(target === '/' ? ['/1', '/2', '/3'] : [])) });
  }),
  outcome: { codes: { ok: [1, 4] }, pages: [1, 4] },
} satisfies Beast;
