import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'deep-path',
  does: 'Has a relative link that leads one folder deeper each time.',
  must: 'Goes three folders of the same name deep, and refuses the rest.',
  answer: behindRobots(({ target }, socket) => reply(socket, { body: page(`deep ${target}`, 'a/') })),
  outcome: { codes: { ok: [2, 5] }, pages: [2, 5] },
} satisfies Beast;
