import { type Beast, behindRobots, drip, fails } from '../beast.js';

export default {
  name: 'slow-headers',
  does: 'Sends its head a byte at a time, for ever.',
  must: 'Gives it up for its rate.',
  answer: behindRobots((_, socket) => drip(socket, `HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(500)}`)),
  outcome: fails('read.slow'),
} satisfies Beast;
