import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-changing',
  does: 'Forbids something else each time its robots.txt is asked for.',
  must: 'Asks once, and obeys what it heard.',
  answer: ({ target, nth, host }, socket) => {
    if (target === '/robots.txt')
      reply(socket, { type: 'text/plain', body: `User-agent: *\nDisallow: ${nth === 1 ? '/secret' : '/'}\n` });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 2 }, pages: 2 },
} satisfies Beast;
