import type { Beast } from '../beast.js';

export default {
  name: 'hang-accept',
  does: 'Accepts, and never says a word.',
  must: 'Waits for the first byte, not for ever.',
  answer: () => {},
  outcome: { robots: 'read.first-byte', codes: {}, pages: 0 },
} satisfies Beast;
