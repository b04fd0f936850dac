/** What simulations found, in words and figures. */
import { formatCount, formatDuration } from '../units.js';
import type { FaultCounts } from './simulation-faults.js';
import type { LargeReport, Percentiles } from './simulation-large.js';
import type { ManyReport } from './simulation-many.js';

/** The report of a large simulation. */
export function largeWords(report: LargeReport): string {
  const { requests, pages, time, hosts, known, done, pending, denied, dead, refused, checks, scans, lives } = report;
  const kept = report.violation === null ? 'every promise kept' : `BROKEN: ${report.violation}`;
  return [
    `${formatDuration(time)} of a web of ${formatCount(hosts)} hosts, seed ${report.seed}, in ${formatDuration(report.realTime)}: ${kept}.`,
    ...rows([
      [
        'rate',
        `${perSecond(requests, time)} requests/s (${perSecond(pages, time)} pages/s); ${formatCount(requests)} requests`,
      ],
      ...ceilings(report),
      ['between two leases', `${percentiles(report.gaps)} for a host`],
      ['a due host waited', percentiles(report.waits)],
      ['shortest gap', `${formatDuration(report.smallestIdle)} between two requests to a host`],
      [
        'URLs',
        `${formatCount(known)} known: ${formatCount(done)} done, ${formatCount(pending)} pending, ${formatCount(denied)} denied by robots, ${formatCount(dead)} dead; ${formatCount(refused)} links over budget`,
      ],
      [
        'waiting',
        Object.entries(report.waiting)
          .map(([reason, row]) => `${formatCount(row.urls)} ${reason}`)
          .join(' · ') || 'nothing',
      ],
      ['faults', faultWords(report.faults)],
      [
        'checks',
        `${formatCount(checks)} of single steps, ${formatCount(scans)} of all memory; ${formatCount(lives)} ${lives === 1 ? 'process' : 'processes'}`,
      ],
      ['speed', `${formatCount(Math.round((requests / report.realTime) * 1000))} requests/s of real time`],
    ]),
  ].join('\n');
}

/** Each thing that bounds the rate, and how near the rate came to the lowest. */
function ceilings({ requests, time, rate, hostsWithWork, meanPeriod, backQueues }: LargeReport): [string, string][] {
  const perHost = 1000 / Math.max(meanPeriod, 1);
  const bounds: [number, string][] = [
    [hostsWithWork * perHost, `${formatCount(Math.round(hostsWithWork))} hosts with work / ${seconds(meanPeriod)}`],
    [backQueues * perHost, `${formatCount(backQueues)} back queues / ${seconds(meanPeriod)}`],
    ...(rate === null ? [] : [[rate, 'the line'] as [number, string]]),
  ];
  const [lowest, name] = bounds.reduce((low, bound) => (bound[0] < low[0] ? bound : low));
  const share = lowest === 0 ? 0 : requests / (time / 1000) / lowest;
  return [
    ['ceilings', bounds.map(([bound, words]) => `${words} = ${bound.toFixed(1)}/s`).join('; ')],
    ['utilisation', `${(100 * share).toFixed(1)}% of the lowest, ${name}`],
  ];
}

/** The report of many small ones. */
export function manyWords(report: ManyReport): string {
  const { seeds, failed, requests, pages, revisits, time, known, done, denied, dead, lives, realTime } = report;
  const kept = failed.length === 0 ? 'every promise kept' : `${formatCount(failed.length)} FAILED`;
  return [
    `${formatCount(seeds)} ${seeds === 1 ? 'seed' : 'seeds'} in ${formatDuration(realTime)}: ${kept}.`,
    ...failed.map(({ seed, violation }) => `  seed ${seed}: ${violation}`),
    ...rows([
      [
        'requests',
        `${formatCount(requests)}, ${formatCount(pages)} of them of pages (${formatCount(revisits)} revisits), in ${formatCount(Math.round(time / 86_400_000))} simulated days`,
      ],
      [
        'URLs',
        `${formatCount(known)} known: ${formatCount(done)} done, ${formatCount(denied)} denied by robots, ${formatCount(dead)} dead`,
      ],
      ['processes', formatCount(lives)],
      ['a due host waited', `at most ${formatDuration(report.longestWait)}`],
      ['shortest gap', `${formatDuration(report.smallestGap)} between two requests to a host`],
      ['faults', faultWords(report.faults)],
      ['speed', `${formatCount(Math.round((requests / realTime) * 1000))} requests/s of real time`],
      ...(report.unmet.length > 0 ? [['never met', report.unmet.join(' · ')] as [string, string]] : []),
    ]),
  ].join('\n');
}

const rows = (table: [string, string][]): string[] => table.map(([name, words]) => `  ${name.padEnd(20)}${words}`);

const perSecond = (count: number, time: number): string => ((1000 * count) / Math.max(time, 1)).toFixed(1);

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

const percentiles = ({ p50, p99, max }: Percentiles): string =>
  `p50 ${formatDuration(p50)} · p99 ${formatDuration(p99)} · longest ${formatDuration(max)}`;

const faultWords = (faults: FaultCounts): string =>
  Object.entries(faults)
    .filter(([, count]) => count > 0)
    .map(([fault, count]) => `${fault} ${formatCount(count)}`)
    .join(' · ') || 'none';
