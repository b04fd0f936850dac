import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'xn--bcher-kva',
  does: 'Has a name and paths that are not ASCII, in every spelling.',
  must: 'Has each page once.',
  answer: behindRobots(({ target }, socket) => {
    const links = target === '/' ? ['/stra\u00dfe', '/stra%C3%9Fe', '/stra%c3%9fe'] : [];
    reply(socket, { type: 'text/html; charset=utf-8', body: page(`B\u00fccher ${target}`, ...links) });
  }),
  outcome: { codes: { ok: 2 }, pages: 2 },
} satisfies Beast;
