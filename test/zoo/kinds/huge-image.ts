import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'huge-image',
  does: 'Sends an endless picture.',
  must: 'Stops before the body: nobody reads pictures.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n');
    flood(socket, Buffer.alloc(65_536, 1));
  }),
  outcome: { codes: { 'body.type': 1 }, pages: 0 },
} satisfies Beast;
