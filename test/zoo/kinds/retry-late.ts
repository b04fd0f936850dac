import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'retry-late',
  does: 'Answers 429, and asks to come back in ten years.',
  must: 'Waits; nothing is charged to the URL.',
  answer: behindRobots((_, socket) => reply(socket, { status: 429, fields: 'Retry-After: 315360000\r\n' })),
  outcome: { codes: { 'http.throttled': 1 }, pages: 0 },
} satisfies Beast;
