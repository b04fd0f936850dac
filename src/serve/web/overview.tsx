/** The figures of the moment. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { OUTCOMES, type OutcomeCode } from '../../errors.js';
import { counted, formatSize } from '../../units.js';
import { Chart } from './chart.js';
import type { Stats } from './client.js';
import type { Live } from './live.js';
import { count, percent, plain, rate, shortened, span, timeOf } from './words.js';

export function Overview({ live }: { live: Live }) {
  const { stats, samples, requests } = live;
  const series = useMemo(() => seriesOf(samples), [samples]);
  if (stats === null) return <p class="muted">Waiting for the first figures…</p>;
  return (
    <>
      <Tiles stats={stats} />
      <div class="charts">
        <Chart title="Pages per second" at={series.at} lines={series.pages} format={rate} />
        <Chart title="URLs" at={series.at} lines={series.urls} format={count} />
      </div>
      <div class="grid">
        <Frontier stats={stats} />
        <Bars
          title="Answers of this run by status"
          note="Every request, robots.txt included."
          rows={statusRows(stats)}
          empty="No answers yet."
        />
        <Bars
          title="What brought no page, and why"
          note="Of the whole crawl. A host without a robots.txt (404) is none."
          rows={sorted(stats.errors).map(explained)}
          empty="No errors."
        />
        <Bars title="Refused URLs by reason" rows={sorted(stats.rejected)} empty="None were refused." />
        <section class="card wide">
          <h2>Requests</h2>
          <ul class="feed">
            {requests.slice(0, 12).map((request) => (
              <li key={`${request.ended} ${request.url}`}>
                <time>{timeOf(request.ended)}</time>
                <span class={`code ${tone(request.status)}`}>
                  {request.status === 0 ? request.code : request.status}
                </span>
                <span class="url">{shortened(plain(request.url), 160)}</span>
              </li>
            ))}
          </ul>
          {requests.length === 0 && <p class="muted">They show here as they are committed.</p>}
        </section>
      </div>
    </>
  );
}

export const tone = (status: number): string =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'so-so' : 'good';

function Tiles({ stats }: { stats: Stats }) {
  const { urls, hosts, duplicates, memory, disk } = stats;
  return (
    <dl class="tiles">
      <Tile name="Pages" value={count(stats.pages)} note={`${formatSize(stats.bytes)} received`} />
      <Tile name="Pages per second" value={rate(stats.pagesPerSecond)} note="over the last minute" />
      <Tile name="In flight" value={count(stats.inFlight)} note={`${counted(hosts.inPlay, 'host')} in play`} />
      <Tile name="Known URLs" value={count(urls.known)} note={`${signed(stats.growth.known)} per second`} />
      <Tile name="Pending" value={count(urls.pending)} note={`${signed(stats.growth.pending)} per second`} />
      <Tile name="Hosts" value={count(hosts.known)} note={`${count(hosts.queued)} wait for a back queue`} />
      <Tile name="Told to slow down" value={percent(stats.outcomes.throttled)} note="429 or 503, last minute" />
      <Tile
        name="Duplicates"
        value={count(duplicates.exact + duplicates.near)}
        note={`${percent(duplicates.share)} of the last minute`}
      />
      <Tile name="Dead letters" value={count(stats.deadLetters)} note="given up" />
      <Tile name="Denied by robots" value={count(stats.robotsDenied)} note="URLs that wait for a change" />
      <Tile name="Memory" value={formatSize(memory.rss)} note={`bodies ${formatSize(Math.max(0, memory.bodies))}`} />
      <Tile name="Free disk" value={formatSize(disk.free)} note={`of ${formatSize(disk.total)}`} />
    </dl>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="note">{note}</dd>
    </div>
  );
}

const signed = (n: number): string => `${n > 0 ? '+' : ''}${rate(n)}`;

function Frontier({ stats }: { stats: Stats }) {
  const { levels, inPlay } = stats.hosts;
  const { held, count: there, most, ceiling, binds } = stats.backQueues;
  const waiting = Object.entries(stats.waiting).sort(([, a], [, b]) => b.urls - a.urls);
  return (
    <section class="card">
      <h2>Frontier</h2>
      <p class="muted">
        {counted(inPlay, 'host')} in play; {held} of {count(there)} back queues held, at most {count(most)}.
        {ceiling !== null &&
          ` They allow ${rate(ceiling)} pages per second${binds ? ', and that is what holds the crawl back' : ''}.`}
      </p>
      <h3>Hosts in line for a back queue, by priority</h3>
      {levels.every((n) => n === 0) ? (
        <p class="muted">None: every host with work is in play, or waits for its time.</p>
      ) : (
        <BarRows rows={levels.map((n, level) => [`${level}${LEVEL_WORDS[level] ?? ''}`, n] as const)} />
      )}
      <h3>Why URLs wait</h3>
      {waiting.length === 0 && <p class="muted">None waits.</p>}
      <ul class="plain">
        {waiting.map(([reason, { urls, next }]) => (
          <li key={reason}>
            <strong>{reason}</strong> {count(urls)}
            {next !== null && next > stats.at && <span class="muted"> next in {span(next - stats.at)}</span>}
          </li>
        ))}
      </ul>
      <Remembered stats={stats} />
      {stats.revisits.freshness !== null && <Revisits revisits={stats.revisits} />}
    </section>
  );
}

const LEVEL_WORDS: Readonly<Record<number, string>> = { 0: ' (first)', 4: ' (last)' };

/** What is kept in memory of hosts. */
function Remembered({ stats: { caches } }: { stats: Stats }) {
  const { dns, robots } = caches;
  const looked = dns.hits + dns.misses;
  return (
    <>
      <h3>Remembered</h3>
      <ul class="plain">
        <li>
          <strong>DNS</strong> {count(dns.hosts)} hosts, {dns.pending} being looked up
          {looked > 0 && <span class="muted"> {percent(dns.hits / looked)} from memory</span>}
        </li>
        <li>
          <strong>robots.txt</strong> {count(robots.origins)} origins
        </li>
      </ul>
    </>
  );
}

function Revisits({ revisits: { fetched, notModified, changed, freshness } }: { revisits: Stats['revisits'] }) {
  return (
    <>
      <h3>Revisits</h3>
      <ul class="plain">
        <li>
          <strong>{count(fetched)}</strong> visits: {count(changed)} changed, {count(notModified)} not modified (304)
        </li>
        <li>
          <strong>{percent(freshness ?? 0)}</strong> of the pages are believed to be as they are held
        </li>
      </ul>
    </>
  );
}

type Row = readonly [name: string, n: number, words?: string];

function Bars({ title, note, rows, empty }: { title: string; note?: string; rows: readonly Row[]; empty: string }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {note !== undefined && rows.length > 0 && <p class="muted note">{note}</p>}
      {rows.length === 0 ? <p class="muted">{empty}</p> : <BarRows rows={rows.slice(0, 10)} />}
    </section>
  );
}

function BarRows({ rows }: { rows: readonly Row[] }) {
  const most = Math.max(1, ...rows.map(([, n]) => n));
  const body: ComponentChildren = rows.map(([name, n, words]) => (
    <tr key={name}>
      <th scope="row">
        {name}
        {words !== undefined && <span class="words">{words}</span>}
      </th>
      <td>{count(n)}</td>
      <td class="bar" aria-hidden="true">
        {n > 0 && <span style={{ width: `${(n / most) * 100}%` }} />}
      </td>
    </tr>
  ));
  return (
    <table class="bars">
      <tbody>{body}</tbody>
    </table>
  );
}

const sorted = (counts: Readonly<Record<string, number>>): Row[] =>
  Object.entries(counts).sort(([, a], [, b]) => b - a);
/** With what the code means. */
const explained = ([code, n]: Row): Row => [code, n, OUTCOMES[code as OutcomeCode]?.words];
const statusRows = ({ statuses }: Stats): Row[] =>
  Object.entries(statuses).map(([status, n]) => [status === '0' ? 'no answer' : status, n] as const);

/** Samples as columns: rates between neighbours, and counts. */
function seriesOf(samples: Live['samples']) {
  const at: number[] = [];
  const pages: (number | null)[] = [];
  const known: number[] = [];
  const pending: number[] = [];
  samples.forEach((sample, i) => {
    const before = samples[i - 1];
    const seconds = before === undefined ? 0 : (sample.at - before.at) / 1000;
    at.push(sample.at / 1000);
    pages.push(seconds > 0 ? (sample.pages - before!.pages) / seconds : null);
    known.push(sample.known);
    pending.push(sample.pending);
  });
  return {
    at,
    pages: [{ label: 'pages/s', values: pages, color: '--series-1' }],
    urls: [
      { label: 'known', values: known, color: '--series-1' },
      { label: 'pending', values: pending, color: '--series-2' },
    ],
  };
}
