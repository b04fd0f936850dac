import { type Beast, behindRobots } from '../beast.js';

export default {
  name: 'reset-body',
  does: 'Resets in the middle of its body (Node may send a FIN before the RST).',
  must: 'Tries again, up to five times, or has what came.',
  answer: behindRobots((_, socket) => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<p>half';
    socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), 50));
  }),
  outcome: { codes: { 'read.reset': [0, 5], ok: [0, 1] }, pages: [0, 1] },
} satisfies Beast;
