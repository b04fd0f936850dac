import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'endless-chunks',
  does: 'Sends chunks without end.',
  must: 'Keeps the first 5 MiB.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n');
    flood(socket, `10000\r\n${'word '.repeat(13108).slice(0, 65536)}\r\n`);
  }),
  outcome: {
    codes: { ok: 1 },
    pages: 1,
    also: ({ requests }) => (requests.every(({ bytes }) => bytes < 6 << 20) ? null : 'read over the cap'),
  },
} satisfies Beast;
