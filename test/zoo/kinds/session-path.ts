import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'session-path',
  does: 'Puts a new session id into the path of every link.',
  must: 'Knows its six pages by one URL each.',
  answer: behindRobots(({ nth }, socket) => {
    const id = nth.toString(16).padStart(32, 'A');
    const links = Array.from({ length: 6 }, (_, i) => `/item${i};jsessionid=${id}`);
    reply(socket, { body: page(`shop ${nth}`, ...links) });
  }),
  outcome: { codes: { ok: 7 }, pages: [1, 7] },
} satisfies Beast;
