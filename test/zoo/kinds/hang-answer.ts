import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'hang-answer',
  does: 'Has a robots.txt, and never answers anything else.',
  must: 'Waits for the first byte, not for ever.',
  answer: behindRobots(() => {}),
  outcome: fails('read.first-byte'),
} satisfies Beast;
