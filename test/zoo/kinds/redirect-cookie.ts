import { type Beast, behindRobots, page, redirect, reply } from '../beast.js';

export default {
  name: 'redirect-cookie',
  does: 'Redirects to itself until its cookie comes back.',
  must: 'Carries the cookie back once, and has the page.',
  answer: behindRobots(({ head }, socket) => {
    if (/^cookie: seen=1\r$/im.test(head)) reply(socket, { body: page('welcome') });
    else redirect(socket, '/', 'Set-Cookie: seen=1; Path=/\r\n');
  }),
  outcome: { codes: { ok: 1, 'redirect.same': 1 }, pages: 1 },
} satisfies Beast;
