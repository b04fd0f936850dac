import { type Beast, page, reply } from '../beast.js';

const STARS = `User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b$\n`.repeat(500)}`;

export default {
  name: 'robots-stars',
  does: 'Forbids by patterns full of stars.',
  must: 'Answers in linear time.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: STARS });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
