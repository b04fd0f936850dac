import { type Beast, behindRobots, redirect } from '../beast.js';

export default {
  name: 'redirect-loop',
  does: 'Redirects from / to /a, /b and back.',
  must: 'Asks for each once.',
  answer: behindRobots(({ target }, socket) => redirect(socket, { '/': '/a', '/a': '/b' }[target] ?? '/')),
  outcome: { codes: { redirect: 2, 'redirect.chain': 1 }, pages: 0 },
} satisfies Beast;
