import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'query-trap',
  does: 'Offers every combination of filters in its query.',
  must: 'Fetches what the budget allows, and no more.',
  answer: behindRobots(({ target }, socket) => {
    const query = new URL(target, 'http://x').searchParams;
    const links = [1, 2, 3].map((n) => `/?${new URLSearchParams([...query, [`f${query.size}`, String(n)]])}`);
    reply(socket, { body: page(`filter ${target}`, ...links) });
  }),
  outcome: { codes: { ok: [10, 40] }, pages: [10, 40] },
} satisfies Beast;
