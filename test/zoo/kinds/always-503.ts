import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'always-503',
  does: 'Answers 503 for ever.',
  must: 'Comes back later each time; nothing is charged to the URL.',
  answer: behindRobots((_, socket) => reply(socket, { status: 503 })),
  outcome: { codes: { 'http.throttled': [1, 12] }, pages: 0 },
} satisfies Beast;
