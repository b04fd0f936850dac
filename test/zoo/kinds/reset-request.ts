import { type Beast, behindRobots } from '../beast.js';

export default {
  name: 'reset-request',
  does: 'Resets when a request has come.',
  must: 'Tries again, up to five times.',
  answer: behindRobots((_, socket) => socket.resetAndDestroy()),
  outcome: { codes: { 'read.reset': [0, 5], 'read.closed': [0, 5], 'lease.returned': [0, 2] }, pages: 0 },
} satisfies Beast;
