import { type Beast, behindRobots, drip, fails } from '../beast.js';

export default {
  name: 'slow-drip',
  does: 'Sends its page a byte at a time.',
  must: 'Gives it up for its rate.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n');
    drip(socket, '<p>slow ');
  }),
  outcome: fails('read.slow'),
} satisfies Beast;
