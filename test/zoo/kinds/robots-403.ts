import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-403',
  does: 'Answers 403 for its robots.txt.',
  must: 'Takes it for none (RFC 9309, 2.3.1.3).',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { status: 403 });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'http.client', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
