import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-429',
  does: 'Answers 429 for its robots.txt.',
  must: 'Fetches nothing.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { status: 429 });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'http.throttled', codes: {}, pages: 0 },
} satisfies Beast;
