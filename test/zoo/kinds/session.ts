import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'session',
  does: 'Puts a new session id into the query of every link.',
  must: 'Knows its twelve pages by one URL each.',
  answer: behindRobots(({ nth }, socket) => {
    const id = nth.toString(16).padStart(32, '5');
    const links = Array.from({ length: 12 }, (_, i) => `/item/${i}?sid=${id}`);
    reply(socket, { body: page(`shop ${nth}`, ...links) });
  }),
  outcome: { codes: { ok: 13 }, pages: [1, 13] },
} satisfies Beast;
