import type { Beast } from '../beast.js';

export default {
  name: 'absent',
  does: 'Is not there.',
  must: 'Asks for robots.txt, and for nothing else.',
  absent: true,
  outcome: { robots: 'connect.refused', codes: {}, pages: 0 },
} satisfies Beast;
