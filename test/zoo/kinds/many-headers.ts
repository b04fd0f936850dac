import { type Beast, behindRobots, fails, flood } from '../beast.js';

export default {
  name: 'many-headers',
  does: 'Sends header lines without end.',
  must: 'Stops at 64 KiB.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, 'Set-Cookie: a=b\r\n'.repeat(100));
  }),
  outcome: fails('http.headers'),
} satisfies Beast;
