import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'hang-body',
  does: 'Stops in the middle of its body.',
  must: 'Gives it up.',
  answer: behindRobots((_, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<p>half')),
  outcome: fails('read.slow'),
} satisfies Beast;
