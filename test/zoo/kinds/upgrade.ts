import { type Beast, behindRobots } from '../beast.js';

export default {
  name: 'upgrade',
  does: 'Switches to another protocol that nobody asked for.',
  must: 'Ends it by its status.',
  answer: behindRobots((_, socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello'),
  ),
  outcome: { codes: { 'http.status': [1, 5] }, pages: 0 },
} satisfies Beast;
