import { type Beast, behindRobots, redirect } from '../beast.js';

export default {
  name: 'redirect-self',
  does: 'Redirects to itself.',
  must: 'Gives up after five.',
  answer: behindRobots((_, socket) => redirect(socket, '/')),
  outcome: { codes: { redirect: [0, 2], 'redirect.same': [0, 6], 'redirect.chain': [0, 2] }, pages: 0 },
} satisfies Beast;
