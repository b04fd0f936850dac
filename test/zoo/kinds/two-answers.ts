import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'two-answers',
  does: 'Sends a second answer that nobody asked for.',
  must: 'Has the first, and never takes the second for that to another request.',
  answer: behindRobots(({ target }, socket) => {
    const own = page(`own ${target}`, ...(target === '/' ? ['/a', '/b'] : []));
    const other = page('smuggled', '/smuggled');
    reply(socket, { body: own });
    reply(socket, { body: other });
  }),
  outcome: {
    codes: { ok: 3, 'lease.returned': [0, 3] },
    pages: 3,
    also: ({ visits }) => (visits.every(({ title }) => title.startsWith('own')) ? null : 'an answer was mistaken'),
  },
} satisfies Beast;
