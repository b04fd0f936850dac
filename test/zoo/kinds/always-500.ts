import { type Beast, behindRobots, page, reply, TRIES } from '../beast.js';

export default {
  name: 'always-500',
  does: 'Answers 500 for ever, with a page full of links.',
  must: 'Tries five times; follows none of them.',
  answer: behindRobots((_, socket) => reply(socket, { status: 500, body: page('broken', '/a', '/b') })),
  outcome: { codes: { 'http.server': TRIES }, pages: 0 },
} satisfies Beast;
