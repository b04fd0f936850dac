import type { Beast } from '../beast.js';

export default {
  name: 'tls-early',
  does: 'Shows a certificate that is not valid yet.',
  must: 'Says so, and fetches nothing.',
  scheme: 'https',
  certificate: 'early',
  outcome: { robots: 'tls.expired', codes: {}, pages: 0 },
} satisfies Beast;
