import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'hang-chunk',
  does: 'Announces a chunk that does not come.',
  must: 'Gives it up.',
  answer: behindRobots((_, socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n400\r\n'),
  ),
  outcome: fails('read.slow'),
} satisfies Beast;
