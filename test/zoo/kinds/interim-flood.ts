import { type Beast, behindRobots, fails, flood } from '../beast.js';

export default {
  name: 'interim-flood',
  does: 'Sends interim answers without end.',
  must: 'Stops at 64 KiB.',
  answer: behindRobots((_, socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100))),
  outcome: fails('http.headers'),
} satisfies Beast;
