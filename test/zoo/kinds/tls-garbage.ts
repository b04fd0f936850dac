import type { Beast } from '../beast.js';

export default {
  name: 'tls-garbage',
  does: 'Answers the handshake with plain HTTP.',
  must: 'Gives it up.',
  scheme: 'https',
  connected: (socket) => {
    socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return true;
  },
  outcome: { robots: 'tls.failed', codes: {}, pages: 0 },
} satisfies Beast;
