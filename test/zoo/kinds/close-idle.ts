import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'close-idle',
  does: 'Closes its connection after every answer without having said so.',
  must: 'Has all pages, and no URL is charged.',
  answer: behindRobots(({ target }, socket) => {
    reply(socket, { body: page(`idle ${target}`, ...(target === '/' ? ['/a', '/b', '/c'] : [])) });
    setTimeout(() => socket.end(), 5);
  }),
  outcome: { codes: { ok: 4, 'lease.returned': [0, 4] }, pages: 4 },
} satisfies Beast;
