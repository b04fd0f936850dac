/** The results of the peers as Markdown: figures, what each does, the kills, and whether the required ratios are met. */
import type { KillOutcome } from './kill.js';
import type { Peer } from './peers.js';
import type { Lap } from './race.js';

/** A lap, or a kill, and the piece of the race that it belongs to: only laps of one piece are compared. */
export type Entry = { readonly piece: string } & (
  | { readonly lap: Lap; readonly kill?: undefined }
  | { readonly kill: KillOutcome; readonly lap?: undefined }
);

/** How many times the CPU of Saunter a peer must take at least, or may take at most. */
const REQUIRED: readonly { readonly name: string; readonly ratio: number; readonly isFloor: boolean }[] = [
  { name: 'spider-rs', ratio: 3, isFloor: true },
  { name: 'Scrapy', ratio: 8, isFloor: true },
  { name: 'Crawlee Cheerio', ratio: 8, isFloor: true },
  { name: 'Crawlee Http', ratio: 5, isFloor: true },
  // Saunter may take 1.8 times the CPU of wget2
  { name: 'wget2', ratio: 1 / 1.8, isFloor: true },
];

/** All tables.
 * @param versions by package */
export function peersReport(
  entries: readonly Entry[],
  peers: readonly Peer[],
  versions: Readonly<Record<string, string>>,
): string[] {
  const laps = entries.filter((entry) => entry.lap !== undefined);
  const kills = entries.flatMap(({ kill }) => kill ?? []);
  const met = peers.filter(({ name }) => laps.some(({ lap }) => lap.name === name));
  const title = ({ name, source }: Peer) => (source === null ? name : `${name} ${versions[source] ?? ''}`.trim());
  const rows = met.map((peer) => {
    const own = laps.filter(({ lap }) => lap.name === peer.name).map(({ lap }) => lap);
    const figure = (of: (lap: Lap) => number, digits: number) => median(own.map(of)).toFixed(digits);
    const most = Math.max(...own.map((lap) => lap.mostAtOncePerHost));
    const ratio = ratioOf(laps, peer.name);
    const [cpu, rate, rss] = [
      figure((lap) => lap.cpu, 2),
      figure((lap) => lap.pagesPerSecond, 0),
      figure((lap) => lap.rss, 0),
    ];
    const fault = own.find((lap) => lap.fault !== '')?.fault ?? '';
    return `| ${title(peer)} | ${cpu} | ${ratio === null ? '' : ratio.toFixed(1)} | ${rate} | ${rss} | ${most} | ${figure((lap) => lap.robots, 0)} | ${figure((lap) => lap.serverCpu, 2)} | ${fault} |`;
  });
  const lines = [
    '| | CPU ms a page | x Saunter | pages/s | peak MiB | most at once on a host | robots.txt asked | server ms a page | fault |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --- |',
    ...rows,
    '',
    ...verdicts(laps),
    '',
    '| | does here | does not | goes on after a kill by |',
    '| --- | --- | --- | --- |',
    ...met.map(
      (peer) => `| ${peer.name} | ${peer.does} | ${peer.lacks} | ${peer.resumes ?? 'nothing: it starts anew'} |`,
    ),
  ];
  if (kills.length > 0) lines.push('', ...killTable(kills, peers));
  return lines;
}

function killTable(kills: readonly KillOutcome[], peers: readonly Peer[]): string[] {
  return [
    '| `kill -9` in the middle, then again | served before | pages lost | fetched twice | second run, s | fault |',
    '| --- | --: | --: | --: | --: | --- |',
    ...peers.flatMap(({ name }) =>
      kills
        .filter((kill) => kill.name === name)
        .map(
          ({ before, lost, twice, seconds, fault }) =>
            `| ${name} | ${before} | ${lost} | ${twice} | ${seconds.toFixed(0)} | ${fault} |`,
        ),
    ),
  ];
}

function verdicts(laps: readonly { readonly piece: string; readonly lap: Lap }[]): string[] {
  return REQUIRED.flatMap(({ name, ratio }) => {
    const measured = ratioOf(laps, name);
    if (measured === null) return [];
    const verdict = measured >= ratio ? 'met' : 'not met';
    return ratio >= 1
      ? [`- ${name} takes ${measured.toFixed(1)} times the CPU of Saunter; at least ${ratio} is required: ${verdict}.`]
      : [
          `- Saunter takes ${(1 / measured).toFixed(2)} times the CPU of ${name}; at most ${(1 / ratio).toFixed(1)} is allowed: ${verdict}.`,
        ];
  });
}

/** The median over the pieces of what the peer took for a page, by what Saunter took in the same piece. */
function ratioOf(laps: readonly { readonly piece: string; readonly lap: Lap }[], name: string): number | null {
  const ratios: number[] = [];
  for (const piece of new Set(laps.map((entry) => entry.piece))) {
    const costs = (of: string) => laps.filter((entry) => entry.piece === piece && entry.lap.name === of);
    const [own, theirs] = [costs('Saunter'), costs(name)].map((some) => some.map(({ lap }) => lap.cpu));
    if (own!.length > 0 && theirs!.length > 0) ratios.push(median(theirs!) / median(own!));
  }
  return ratios.length === 0 ? null : median(ratios);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
