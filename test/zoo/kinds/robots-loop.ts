import { type Beast, page, redirect, reply } from '../beast.js';

export default {
  name: 'robots-loop',
  does: 'Redirects its robots.txt to itself.',
  must: 'Gives up after five, and takes it for none (RFC 9309, 2.3.1.2).',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') redirect(socket, '/robots.txt');
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'redirect', codes: { ok: 3 }, pages: 3 },
} satisfies Beast;
