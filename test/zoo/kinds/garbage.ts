import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'garbage',
  does: 'Answers with random bytes instead of HTTP.',
  must: 'Says that this is not HTTP.',
  answer: behindRobots((_, socket) => {
    socket.write(Buffer.from(Array.from({ length: 8192 }, (_, i) => (i * 2_654_435_761) >>> 24)));
    socket.end();
  }),
  outcome: fails('http.malformed'),
} satisfies Beast;
