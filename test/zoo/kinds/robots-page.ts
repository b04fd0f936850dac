import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-page',
  does: 'Has a page of HTML in the place of its robots.txt.',
  must: 'Finds no rule in it.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { body: page('Disallow') });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
