import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'endless-trailer',
  does: 'Sends trailers without end.',
  must: 'Has the page.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n<p>whole.\r\n0\r\n');
    flood(socket, 'X-Trailer: 1\r\n'.repeat(100));
  }),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
