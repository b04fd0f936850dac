import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'endless-body',
  does: 'Sends a body without a length and without an end.',
  must: 'Keeps the first 5 MiB.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n');
    flood(socket, 'word '.repeat(10_000));
  }),
  outcome: {
    codes: { ok: 1 },
    pages: 1,
    also: ({ requests }) => (requests.every(({ bytes }) => bytes < 6 << 20) ? null : 'read over the cap'),
  },
} satisfies Beast;
