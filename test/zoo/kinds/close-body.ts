import { type Beast, behindRobots } from '../beast.js';

export default {
  name: 'close-body',
  does: 'Closes in the middle of its body.',
  must: 'Has what came, and says that it is cut.',
  answer: behindRobots((_, socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<title>half</title>');
  }),
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
