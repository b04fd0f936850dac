import { type Beast, behindRobots, redirect } from '../beast.js';

export default {
  name: 'up-and-down',
  does: 'Redirects from http to https and back, for ever.',
  must: 'Asks for each once.',
  answer: behindRobots(({ url }, socket) => {
    const isSecure = 'encrypted' in socket;
    redirect(socket, url('up-and-down', '/', !isSecure));
  }),
  outcome: { codes: { redirect: [1, 3], 'redirect.same': [0, 6], 'redirect.chain': [0, 2] }, pages: 0 },
} satisfies Beast;
