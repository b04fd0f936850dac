import type { Beast } from '../beast.js';

export default {
  name: 'tls-expired',
  does: 'Shows a certificate that has expired.',
  must: 'Says so, and fetches nothing.',
  scheme: 'https',
  certificate: 'expired',
  outcome: { robots: 'tls.expired', codes: {}, pages: 0 },
} satisfies Beast;
