import { type Beast, behindRobots, TRIES } from '../beast.js';

export default {
  name: 'close-request',
  does: 'Closes when a request has come.',
  must: 'Tries again, up to five times.',
  answer: behindRobots((_, socket) => socket.end()),
  outcome: { codes: { 'read.closed': TRIES, 'lease.returned': [0, 2] }, pages: 0 },
} satisfies Beast;
