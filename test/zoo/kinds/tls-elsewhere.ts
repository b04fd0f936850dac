import type { Beast } from '../beast.js';

export default {
  name: 'tls-elsewhere',
  does: 'Shows a certificate for another name.',
  must: 'Says so, and fetches nothing.',
  scheme: 'https',
  certificate: 'elsewhere',
  outcome: { robots: 'tls.name', codes: {}, pages: 0 },
} satisfies Beast;
