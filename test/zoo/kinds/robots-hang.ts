import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-hang',
  does: 'Never answers for its robots.txt.',
  must: 'Fetches nothing.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') return;
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'read.first-byte', codes: {}, pages: 0 },
} satisfies Beast;
