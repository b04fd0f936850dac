import type { Beast } from '../beast.js';

export default {
  name: 'tls-self-signed',
  does: 'Shows a certificate that it signed itself.',
  must: 'Says so, and fetches nothing.',
  scheme: 'https',
  certificate: 'good',
  outcome: { robots: 'tls.untrusted', codes: {}, pages: 0 },
} satisfies Beast;
