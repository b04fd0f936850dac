import { type Beast, behindRobots, fails, flood } from '../beast.js';

export default {
  name: 'huge-header',
  does: 'Sends a head of one line without end.',
  must: 'Stops at 64 KiB.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    flood(socket, 'a'.repeat(10_000));
  }),
  outcome: fails('http.headers'),
} satisfies Beast;
