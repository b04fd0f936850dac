import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'huge-chunk',
  does: 'Announces one chunk of four petabytes.',
  must: 'Keeps the first 5 MiB.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n');
    flood(socket, 'word '.repeat(10_000));
  }),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
