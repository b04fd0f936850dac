import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-binary',
  does: 'Has random bytes in the place of its robots.txt.',
  must: 'Finds no rule in them.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { body: Buffer.alloc(300_000, '\x00\xff\xfeUser-agent') });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
