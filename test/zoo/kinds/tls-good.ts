import type { Beast } from '../beast.js';

export default {
  name: 'tls-good',
  does: 'Shows a certificate that is right.',
  must: 'Has the page.',
  scheme: 'https',
  outcome: { codes: { ok: 1 }, pages: 1 },
} satisfies Beast;
