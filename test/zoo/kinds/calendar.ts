import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'calendar',
  does: 'Has a page for every month, for ever.',
  must: 'Fetches what the budget allows, and no more.',
  answer: behindRobots(({ target }, socket) => {
    const month = Number(/^\/month\/(\d+)$/.exec(target)?.[1] ?? 0);
    reply(socket, { body: page(`month ${month}`, `/month/${month + 1}`, `/month/${month + 2}`) });
  }),
  outcome: { codes: { ok: [10, 40] }, pages: [10, 40] },
} satisfies Beast;
