import type { Beast } from '../beast.js';

export default {
  name: 'tls-hang',
  does: 'Accepts, and never shakes hands.',
  must: 'Gives it up.',
  scheme: 'https',
  connected: (socket) => {
    socket.resume();
    return true;
  },
  outcome: { robots: 'tls.failed', codes: {}, pages: 0 },
} satisfies Beast;
