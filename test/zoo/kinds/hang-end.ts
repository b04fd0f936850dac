import { type Beast, behindRobots } from '../beast.js';

export default {
  name: 'hang-end',
  does: 'Sends all chunks and then neither the empty line nor the end.',
  must: 'Has the page, soon.',
  answer: behindRobots((_, socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n<p>whole.\r\n0\r\n'),
  ),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
