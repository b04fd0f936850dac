// docs/configuration.md, docs/errors.md and docs/operate/metrics.md, derived from the tables in src/, and docs/api-report.md,
// derived from the declarations of the library. `--write` renews them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OPTION_NAMES, optionOf } from '../dist/config/config.js';
import { OUTCOMES } from '../dist/errors.js';
import { METRICS } from '../dist/serve/metrics.js';
import { apiPage } from './api.mjs';

const docs = new URL('../docs/', import.meta.url);

/** @type {Readonly<Record<string, () => string>>} */
const PAGES = {
  'configuration.md': configurationPage,
  'errors.md': errorsPage,
  'operate/metrics.md': metricsPage,
  'api-report.md': () => apiPage(fileURLToPath(new URL('../dist', import.meta.url))),
};

/** @returns {string[]} the pages that are not what the tables say */
export function checkDocs() {
  return Object.entries(PAGES)
    .filter(([name, write]) => read(new URL(name, docs)) !== write())
    .map(([name]) => `docs/${name} is out of date: run npm run docs`);
}

function configurationPage() {
  const lines = [
    '<!-- Generated from src/config/config.ts by `npm run docs`. Do not edit. -->',
    '# Configuration',
    '',
    'Every option has a default. A flag wins over the config file, the file over the default. `saunter config` shows the values in',
    'force and where each comes from, `saunter config --help` this table.',
    '',
    'The config file is the one that `--config FILE` names, or else `saunter.yaml`, `saunter.yml`, `saunter.json` or',
    '`saunter.config.ts` (`.mts`, `.js`, `.mjs`) in the folder where the program runs; `--config off` reads none. By its ending it is',
    'YAML, JSON or a module. A name may be nested or dotted: `timeout: {dns: 3s}` and `timeout.dns: 3s` say the same. Paths in it are',
    'relative to the folder where the program runs.',
    '',
    'The names here are those of config files and of the library; a flag, where there is one, stands below its name. Most flags are',
    'their name with hyphens (`maxPages`, `--max-pages`); three are not: `depth` is `--max-depth`, `revisit.policy` is `--revisit`, and',
    '`log.file` is `--log`. Other flags (`--dir`, `--seeds`, `--add`, `--json`) are of a command, and no options of a file.',
    '',
    '```yaml',
    'contact: me@example.org',
    'delay: 2s',
    'exclude: ["*/print/*"]',
    'timeout:',
    '  dns: 3s',
    '```',
    '',
    'A module may also hold functions. TypeScript needs Node 22.18 or newer, which strips the types itself.',
    '',
    '```js',
    'export default {',
    "  contact: 'me@example.org',",
    "  score: ({ depth }) => (depth < 3 ? 1 : 4), // in the place of a module's path",
    '  handlers: {',
    "    'text/csv': ({ bytes }) => ({ text: new TextDecoder().decode(bytes) }),",
    '  },',
    "  hooks: { fetch: ({ url }) => !url.includes('/calendar/'), outcome: ({ url, code }) => console.error(code, url) },",
    '};',
    '```',
    '',
    'Durations are written `300ms`, `5s`, `10m`, `2h`, `30d` or `1h30m` (a number without a unit is refused, but 0),',
    'sizes `64KiB`, `1.5GiB` or `500MB` (a bare number is bytes). What Saunter tells (`status`, `doctor`, `plan`, the live view,',
    'the dashboard) is in the decimal units of disks and networks: kB, MB, GB ([why](decisions/026-sizes-as-they-are-told.md)). An option that does',
    'not exist is refused with the nearest one that does.',
    '',
    'Options marked *frozen* enter the key of every URL: they are stored when a crawl begins, and a later run of the same',
    'directory that differs is refused.',
  ];
  let group = '';
  for (const name of OPTION_NAMES) {
    const option = optionOf(name);
    if (option.group !== group) {
      group = option.group;
      lines.push('', `## ${group}`, '', '| option | default | what it does |', '| --- | --- | --- |');
    }
    const flag = option.flag ? `<br>\`--${option.flag}\`` : '';
    const frozen = option.frozen ? ' *Frozen.*' : '';
    const range = option.allowed.charAt(0).toUpperCase() + option.allowed.slice(1);
    lines.push(`| \`${name}\`${flag} | ${cell(option.shown)} | ${cell(option.says)} ${cell(range)}.${frozen} |`);
  }
  return `${lines.join('\n')}\n`;
}

function errorsPage() {
  const lines = [
    '<!-- Generated from src/errors.ts by `npm run docs`. Do not edit. -->',
    '# Outcomes',
    '',
    'Every way a request can end, what it means for the URL and for its host. The codes stand in the store, in the',
    'summary of a crawl (`errors{code}`) and in the messages.',
    '',
    '- For the URL: `done` is the end of this visit; `retry` charges an attempt and tries again later (`retry.ladder`);',
    '  `wait` returns it to its queue at no charge, since the host pays; `dead` is a dead letter at once.',
    '- For the host: `success` halves a penalty back; `backoff` obeys Retry-After or doubles the delay; `unreachable` and',
    '  `nxdomain` count towards offline (`host.offlineAfter`, `host.nxdomainAfter`); `none` changes nothing.',
    '',
    '| code | the URL ... | for the URL | for the host |',
    '| --- | --- | --- | --- |',
  ];
  for (const [code, outcome] of Object.entries(OUTCOMES)) {
    lines.push(`| \`${code}\` | ${cell(outcome.words)} | ${outcome.url} | ${outcome.host} |`);
  }
  return `${lines.join('\n')}\n`;
}

function metricsPage() {
  const lines = [
    '<!-- Generated from src/serve/metrics.ts by `npm run docs`. Do not edit. -->',
    '# Metrics',
    '',
    '`GET /metrics` of a crawl that runs with `--admin PORT`, in the text format of Prometheus. Let Prometheus send the token:',
    '',
    '```yaml',
    'scrape_configs:',
    '  - job_name: saunter',
    '    authorization: { credentials_file: /etc/prometheus/saunter.token }',
    "    static_configs: [{ targets: ['127.0.0.1:8787'] }]",
    '```',
    '',
    '[grafana.json](grafana.json) is a dashboard of them, [alerts.yaml](alerts.yaml) are rules for alerts. Units stand in the',
    'names; what ends in `_total` only grows while the process lives.',
    '',
    '| name | kind | label | what it says |',
    '| --- | --- | --- | --- |',
  ];
  for (const { name, kind, label = '', says } of METRICS)
    lines.push(`| \`${name}\` | ${kind} | ${label} | ${cell(says)} |`);
  return `${lines.join('\n')}\n`;
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');

/** @param {URL} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--write')) {
  for (const [name, write] of Object.entries(PAGES)) writeFileSync(new URL(name, docs), write());
}
