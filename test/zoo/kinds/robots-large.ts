import { type Beast, page, reply } from '../beast.js';

const LARGE = `User-agent: *\nDisallow: /secret\n${'# nothing\n'.repeat(500_000)}User-agent: *\nDisallow: /a\n`;

export default {
  name: 'robots-large',
  does: 'Has a robots.txt of 5 MB, with rules at its beginning and its end.',
  must: 'Reads 500 KiB, and obeys what stands there.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: LARGE });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 2 }, pages: 2 },
} satisfies Beast;
