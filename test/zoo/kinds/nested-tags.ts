import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'nested-tags',
  does: 'Nests 100,000 tags.',
  must: 'Reads the page in linear time and bounded memory.',
  answer: behindRobots((_, socket) => reply(socket, { body: `<title>deep</title>${'<div><b>'.repeat(50_000)}core` })),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
