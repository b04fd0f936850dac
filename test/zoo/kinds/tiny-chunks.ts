import { type Beast, behindRobots, flood } from '../beast.js';

export default {
  name: 'tiny-chunks',
  does: 'Cuts its page into chunks of one byte, each with an extension of 1 KB.',
  must: 'Stops when the framing is worth more than the page.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n');
    flood(socket, `1;${'x'.repeat(1000)}\r\na\r\n`.repeat(64));
  }),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
