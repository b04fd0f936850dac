/** The figures in the text format of Prometheus, from one table: names, kinds, what they say (docs/operate/metrics.md). */
import type { Steering } from '../embedded/steering.js';

type Stats = ReturnType<Steering['stats']>;
/** Values by label values; '' for a metric without labels. */
type Values = Readonly<Record<string, number>>;

export interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly says: string;
  /** Name of its label, if it has one. */
  readonly label?: string;
  readonly of: (stats: Stats) => Values;
}

const one =
  (of: (stats: Stats) => number): Metric['of'] =>
  (stats) => ({ '': of(stats) });

const counter = (name: string, says: string, of: Metric['of'], label?: string): Metric => ({
  ...{ name: `saunter_${name}`, kind: 'counter', says, of },
  ...(label !== undefined && { label }),
});
const gauge = (name: string, says: string, of: Metric['of'], label?: string): Metric => ({
  ...counter(name, says, of, label),
  kind: 'gauge',
});

/** Counters are of the whole crawl but for statuses, which begin with the process. */
export const METRICS: readonly Metric[] = [
  counter(
    'pages_total',
    'Pages fetched (2xx bodies).',
    one((s) => s.pages),
  ),
  counter(
    'requests_total',
    'Requests of every kind, robots.txt included.',
    one((s) => s.requests),
  ),
  counter(
    'received_bytes_total',
    'Bytes received.',
    one((s) => s.bytes),
  ),
  counter('responses_total', 'Requests of this run by HTTP status; 0 is no answer.', (s) => s.statuses, 'status'),
  counter('errors_total', 'Requests that ended badly, by outcome code (docs/errors.md).', (s) => s.errors, 'code'),
  counter('rejected_urls_total', 'URLs that were refused at admission, by reason.', (s) => s.rejected, 'reason'),
  counter(
    'removed_parameters_total',
    'Tracking and session parameters that were removed from URLs, by name.',
    (s) => s.removed,
    'name',
  ),
  counter(
    'duplicate_pages_total',
    'Pages that repeat another one.',
    (s) => ({ exact: s.duplicates.exact, near: s.duplicates.near }),
    'kind',
  ),
  gauge('urls', 'Known URLs by state.', ({ urls: { known: _, ...states } }) => states, 'state'),
  gauge(
    'queued_urls',
    'URLs in the queues of their hosts, by level (0 is best).',
    (s) => Object.fromEntries(s.pendingByLevel.map((n, level) => [String(level), n])),
    'level',
  ),
  gauge(
    'waiting_urls',
    'Pending URLs by why they wait.',
    (s) => Object.fromEntries(Object.entries(s.waiting).map(([reason, { urls }]) => [reason, urls])),
    'reason',
  ),
  gauge(
    'hosts',
    'Hosts that were met.',
    one((s) => s.hosts.known),
  ),
  gauge(
    'hosts_queued',
    'Hosts in the front queues, by level (0 is best).',
    (s) => Object.fromEntries(s.hosts.levels.map((n, level) => [String(level), n])),
    'level',
  ),
  gauge(
    'back_queues',
    'Back queues: held, there at the moment, and at most.',
    ({ backQueues: { held, count, most } }) => ({ held, count, most }),
    'kind',
  ),
  gauge(
    'ceiling_pages_per_second',
    'What so many back queues allow at the period measured; none before a request was made.',
    ({ backQueues: { ceiling } }): Values => (ceiling === null ? {} : { '': ceiling }),
  ),
  gauge(
    'requests_in_flight',
    'Leases that are out.',
    one((s) => s.inFlight),
  ),
  gauge(
    'dead_letters',
    'URLs that were given up.',
    one((s) => s.deadLetters),
  ),
  gauge(
    'denied_urls',
    'URLs that robots.txt forbids.',
    one((s) => s.robotsDenied),
  ),
  gauge(
    'dns_cached_hosts',
    'Hosts in the DNS cache.',
    one((s) => s.caches.dns.hosts),
  ),
  gauge(
    'robots_origins',
    'Origins whose robots.txt is known.',
    one((s) => s.caches.robots.origins),
  ),
  gauge(
    'bloom_urls',
    'URLs in the Bloom filter of known ones, and how many it was made for; none where keys are exact.',
    ({ seen }): Values => (seen === null ? {} : { held: seen.inserted, design: seen.design }),
    'kind',
  ),
  gauge(
    'bloom_fill_ratio',
    'Bits of the Bloom filter that are set.',
    ({ seen }): Values => (seen === null ? {} : { '': seen.fill }),
  ),
  gauge(
    'memory_resident_bytes',
    'Resident memory of the process.',
    one((s) => s.memory.rss),
  ),
  gauge(
    'memory_bodies_bytes',
    'Bodies that the page workers hold.',
    one((s) => s.memory.bodies),
  ),
  gauge(
    'disk_free_bytes',
    'Free bytes of the disk of the crawl.',
    one((s) => s.disk.free),
  ),
  gauge(
    'paused',
    '1 while the crawl is paused.',
    one((s) => (s.state === 'paused' ? 1 : 0)),
  ),
  counter(
    'log_lost_lines_total',
    'Lines that the log could not take in time.',
    one((s) => s.told.linesLost),
  ),
  counter(
    'trace_spans_total',
    'Spans of traces that were sent, and that were dropped since the receiver was away or slow.',
    ({ told }) => ({ sent: told.spansSent, dropped: told.spansDropped }),
    'kind',
  ),
  gauge('alarm', '1 for each alarm that is on.', (s) => Object.fromEntries(s.alarms.map(({ id }) => [id, 1])), 'alarm'),
];

export function metricsText(stats: Stats): string {
  const lines: string[] = [];
  for (const { name, kind, says, label, of } of METRICS) {
    lines.push(`# HELP ${name} ${says}`, `# TYPE ${name} ${kind}`);
    for (const [value, number] of Object.entries(of(stats))) {
      lines.push(`${name}${label === undefined ? '' : `{${label}="${escaped(value)}"}`} ${number}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`));
