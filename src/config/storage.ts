/** The options of what lies on disk and in memory: parts of the table in `config.ts`. */
import { amount, choice, count, duration, group, orAuto, orOff, share, size } from './kinds.js';

export const STORAGE = group('Storage', {
  'segment.bytes': size('1GiB', '64KiB', '64GiB', 'The size at which an archive file is closed and the next begun.'),
  'batch.time': duration('200ms', '1ms', '1m', 'The longest that finished work waits to be made durable.'),
  'batch.changes': count(2000, 1, 1e6, 'Changes that are made durable at once without waiting.'),
  'checkpoint.rows': orOff(
    count(
      2_000_000,
      1,
      1e12,
      'Rows of the store after which memory is written to a file that the next start reads instead of them; a clean stop writes it after a twentieth of them; `off` writes none.',
    ),
  ),
});

export const MEMORY = {
  'memory.limit': orAuto(
    size(
      '1GiB',
      '64MiB',
      '64TiB',
      'Memory for the whole process; auto is 60% of the machine. Near it, new URLs are refused.',
    ),
  ),
  'memory.refuseLevel4': share(
    '80%',
    'From this share of the limit on, new URLs of priority level 4 are refused (`full`); seeds never are.',
  ),
  'memory.refuseLevel3': share('90%', 'From this share of the limit on, those of level 3 too.'),
};

export const SEEN = {
  'seen.filter': choice(
    'exact',
    ['exact', 'bloom'],
    'How URLs are remembered: each key, or a Bloom filter that needs less and skips a few new URLs. With bloom there are no checkpoints.',
  ),
  'seen.bloomKeys': count(
    100_000_000,
    1000,
    1e11,
    'URLs that the Bloom filter is made for; when it holds so many it is built anew for twice as many.',
  ),
  'seen.bloomBits': amount(
    20,
    1,
    64,
    'Bits of the Bloom filter for each URL: 20 skip 0.0067% of new URLs, 9.6 skip 1%.',
  ),
  'seen.bloomRate': orAuto(
    amount(
      0.01,
      1e-9,
      0.5,
      'The share of new URLs that a full Bloom filter may skip, instead of bits; auto is what the bits give.',
    ),
  ),
  'seen.bloomEpoch': orOff(
    duration(
      '30d',
      '1s',
      '3650d',
      'After this time the Bloom filter is built anew under another secret, so that what was skipped has another chance.',
    ),
  ),
};
