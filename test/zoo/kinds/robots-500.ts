import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-500',
  does: 'Answers 500 for its robots.txt.',
  must: 'Fetches nothing.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { status: 500 });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'http.server', codes: {}, pages: 0 },
} satisfies Beast;
