import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'no-body',
  does: 'Puts bodies behind 204 and 304, where none may be.',
  must: 'Ends each by its status.',
  answer: behindRobots(({ target }, socket) => {
    if (target === '/') reply(socket, { body: page('bodies', '/204', '/304') });
    else socket.end(`HTTP/1.1 ${target.slice(1)} X\r\nContent-Length: 20\r\n\r\n${page('a body')}`);
  }),
  outcome: { codes: { ok: 2, 'http.status': 1 }, pages: [1, 2] },
} satisfies Beast;
