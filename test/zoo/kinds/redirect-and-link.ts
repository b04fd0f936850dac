import { type Beast, behindRobots, page, redirect, reply } from '../beast.js';

export default {
  name: 'redirect-and-link',
  does: 'Links to a page and to what redirects there.',
  must: 'Asks for the target once.',
  answer: behindRobots(({ target }, socket) => {
    if (target === '/a') redirect(socket, '/b');
    else reply(socket, { body: page(`target ${target}`, ...(target === '/' ? ['/a', '/b'] : [])) });
  }),
  outcome: { codes: { ok: 2, redirect: 1 }, pages: 2 },
} satisfies Beast;
