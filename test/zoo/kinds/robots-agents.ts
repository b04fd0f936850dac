import { type Beast, page, reply } from '../beast.js';

const AGENTS = `${Array.from({ length: 15_000 }, (_, i) => `User-agent: bot${i}\nDisallow: /\n`).join('')}User-agent: *\nDisallow: /secret\n`;

export default {
  name: 'robots-agents',
  does: 'Names a hundred thousand crawlers, and everybody else last.',
  must: 'Finds the group of everybody.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: AGENTS });
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: { ok: 2 }, pages: 2 },
} satisfies Beast;
