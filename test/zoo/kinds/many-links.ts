import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'many-links',
  does: 'Has 200,000 links on one page.',
  must: 'Reads 10,000 of them, and admits what the budget allows.',
  answer: behindRobots(({ target }, socket) => {
    const links = target === '/' ? Array.from({ length: 200_000 }, (_, i) => `<a href=/${i}>${i}</a>`) : [];
    reply(socket, { body: `<title>many</title>${links.join('')} ${target}` });
  }),
  outcome: {
    codes: { ok: [10, 40] },
    pages: [10, 40],
    also: ({ visits }) => (Math.max(...visits.map(({ links }) => links)) === 10_000 ? null : 'not 10,000 links'),
  },
} satisfies Beast;
