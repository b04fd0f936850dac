import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'other-protocol',
  does: 'Answers like a mail server.',
  must: 'Refuses it.',
  answer: behindRobots((_, socket) => socket.end('220 mail.zoo.test ESMTP ready\r\n500 what?\r\n')),
  outcome: fails('http.malformed'),
} satisfies Beast;
