import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'long-urls',
  does: 'Links to URLs that are longer each time, up to 100 KB.',
  must: 'Refuses what is over the limit of length.',
  answer: behindRobots(({ target }, socket) => {
    const links = [900, 2_000, 20_000, 100_000].map((length) => `/${'x'.repeat(length)}`);
    reply(socket, { body: page('long', ...(target === '/' ? links : [])) });
  }),
  outcome: { codes: { ok: 2 }, pages: [1, 2] },
} satisfies Beast;
