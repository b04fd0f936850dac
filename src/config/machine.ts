/** What this machine gives: parts of the table in `config.ts`. */

import { choice, count, duration, group, orAuto, share, size, text, texts } from './kinds.js';
import { MEMORY } from './storage.js';
import { isHandler } from './texts.js';

export const THREADS_MEMORY = group('Threads and memory', {
  workers: orAuto(
    count(1, 1, 256, 'Page worker threads: fetching, archiving and parsing; auto is one per core.', {
      flag: 'workers',
      value: 'N',
    }),
  ),
  concurrency: count(256, 1, 65_536, 'Requests in flight at once, all workers together.', {
    flag: 'concurrency',
    value: 'N',
  }),
  'worker.heartbeat': duration('2s', '10ms', '1m', 'How often a worker shows that it is alive.'),
  'worker.deadAfter': duration('10s', '100ms', '10m', 'A worker that was silent for this long is replaced.'),
  'worker.affinity': duration(
    '1s',
    '0',
    '1h',
    'How long a host waits for room in the worker that holds its connection before it moves to another.',
  ),
  'parse.turn': duration('8ms', '1ms', '1s', 'The longest a worker parses before it looks after its sockets.'),
  'parse.overflow': choice(
    'throttle',
    ['throttle', 'spill'],
    'When parsing falls behind: fetch less, or drop bodies and parse them later from the archive.',
    { pending: true },
  ),
  'memory.bodies': size(
    '64MiB',
    '1MiB',
    '64GiB',
    'Bodies in memory at once, all workers together; past it nothing new is fetched.',
  ),
  ...MEMORY,
});

/** DESIGN 3, 11. */
export const DOCUMENTS = group('Documents', {
  handlers: texts(
    [],
    'a pair TYPE=MODULE, such as application/epub+zip=./epub.js',
    isHandler,
    'A module that reads documents of a content type: its default export gets their bytes and URL.',
  ),
  'document.time': duration('30s', '10ms', '1h', 'The longest a PDF, or a handler, may take for one document.'),
  'document.memory': size('512MiB', '16MiB', '64GiB', 'The memory that reading one such document may take.'),
  'pdf.pages': count(1000, 1, 1e6, 'Pages of a PDF that are read.'),
});

/** DESIGN 4 "Front queues", "Back queues". */
export const FRONTIER = group('Frontier', {
  'frontier.backQueues': count(1024, 1, 65_536, 'Hosts in play at once, to begin with.'),
  'frontier.backQueuesMax': count(
    65_536,
    1,
    65_536,
    'What that number may double up to while fetchers starve and hosts wait.',
  ),
  'frontier.quantum.fetches': count(64, 1, 1e6, 'Fetches after which a host yields its place to others that wait.'),
  'frontier.quantum.time': duration('10m', '1s', '1d', 'Time after which it does.'),
  'frontier.sleep': duration(
    '30s',
    '0',
    '1h',
    'A host that may not be fetched for longer than this holds no place in play.',
  ),
  'frontier.lookahead': count(64, 1, 4096, 'URLs of a host in play that are read from the store ahead of time.'),
  score: text(
    'a path to a module',
    (path) => (path === '' ? null : path),
    'A module whose default export gives each new URL a level from 1 (soon) to 4 (late).',
  ),
  'frontier.revisitShare': share('50%', 'Of the turns of a host, what due revisits may take while new URLs wait.'),
});
