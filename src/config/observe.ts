/** The options of whoever looks at a crawl while it runs: a part of the table in `config.ts`. */
import { choice, count, group, orOff, share, text } from './kinds.js';
import { isAddress, isHttpUrl } from './texts.js';

const isPath = (path: string): string | null => (path === '' || path.includes('\0') ? null : path);

/** DESIGN 3. */
export const DASHBOARD_API = group('Dashboard and API', {
  admin: orOff(
    count(
      8787,
      1,
      65_535,
      'Port of the dashboard and the HTTP API of a running crawl, on 127.0.0.1, with a token: that of SAUNTER_TOKEN, or one that is printed.',
      {
        flag: 'admin',
        value: 'PORT',
      },
    ),
    'off',
  ),
  adminAddress: text(
    'an IP address of this machine, such as 127.0.0.1 or 0.0.0.0',
    isAddress,
    'Address that they listen on; none is 127.0.0.1, which only this machine reaches.',
  ),
});

/** DESIGN 11. */
export const LOGS_TRACES = group('Logs and traces', {
  'log.file': text(
    'a path to a file, or - for standard error',
    isPath,
    'Where a line of JSON goes for each outcome (docs/operate/logs.md); SIGHUP opens the file anew, for logrotate.',
    { flag: 'log', value: 'FILE' },
  ),
  'log.level': choice(
    'info',
    ['info', 'warn', 'error'],
    'Lines of this level and above: every outcome, those that are no success, URLs that were given up.',
  ),
  'trace.endpoint': text(
    'an http(s) URL, such as http://127.0.0.1:4318/v1/traces',
    isHttpUrl,
    'A receiver of OpenTelemetry traces (OTLP over HTTP, JSON): the lives of some URLs are sent to it, and to nobody else.',
  ),
  'trace.share': share('1%', 'The share of URLs that is traced, the same URLs in every run.'),
});
