import { type Beast, behindRobots, redirect } from '../beast.js';

export default {
  name: 'redirect-chain',
  does: 'Redirects to another URL each time.',
  must: 'Gives up after ten.',
  answer: behindRobots(({ nth }, socket) => redirect(socket, `/step/${nth}`)),
  outcome: { codes: { redirect: [9, 11], 'redirect.chain': [0, 1] }, pages: 0 },
} satisfies Beast;
