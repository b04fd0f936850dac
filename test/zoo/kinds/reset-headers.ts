import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'reset-headers',
  does: 'Resets in the middle of its head.',
  must: 'Tries again, up to five times.',
  answer: behindRobots((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-', () => setTimeout(() => socket.resetAndDestroy(), 50));
  }),
  outcome: fails('read.reset', 'read.closed'),
} satisfies Beast;
