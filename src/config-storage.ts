/** The options of what lies on disk and in memory: parts of the table in `config.ts`. */
import { count, duration, group, orAuto, orOff, share, size } from './option-kinds.js';

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
