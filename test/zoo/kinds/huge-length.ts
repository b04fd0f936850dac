import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'huge-length',
  does: 'Announces three gigabytes, and sends them.',
  must: 'Stops before the body.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3221225472\r\n\r\n');
    flood(socket, Buffer.alloc(65_536, 'x'));
  }),
  outcome: { codes: { 'body.length': 1 }, pages: 0 },
} satisfies Beast;
