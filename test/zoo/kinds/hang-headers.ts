import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'hang-headers',
  does: 'Stops in the middle of its head.',
  must: 'Gives it up.',
  answer: behindRobots((_, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty')),
  outcome: fails('read.slow'),
} satisfies Beast;
