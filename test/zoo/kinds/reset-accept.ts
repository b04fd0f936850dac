import type { Beast } from '../beast.js';

export default {
  name: 'reset-accept',
  does: 'Resets every connection at once.',
  must: 'Asks for robots.txt, and for nothing else.',
  connected: (socket) => {
    socket.resetAndDestroy();
    return true;
  },
  outcome: { robots: ['read.reset', 'connect.failed'], codes: {}, pages: 0 },
} satisfies Beast;
