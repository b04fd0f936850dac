import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'base-elsewhere',
  does: 'Declares the address of somebody else as its base.',
  must: 'Follows no link out of its scope.',
  answer: behindRobots((_, socket) =>
    reply(socket, { body: `<base href="http://10.0.0.1/">${page('based', '/a', 'b')}` }),
  ),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
