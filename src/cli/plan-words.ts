/** The figures of a plan in words, and what they warn of. */
import { formatCount, formatSize } from '../units.js';
import type { Figures } from './plan-figures.js';
import type { Inputs } from './plan-inputs.js';
import { amount, bits, long, percent } from './plan-numbers.js';

export interface Warning {
  code: 'huge-host' | 'few-hosts' | 'back-queues' | 'memory' | 'disk' | 'bandwidth' | 'bloom' | 'depth';
  says: string;
}

const WIDTH = 22;

/** One line a figure, by subject. */
export function planText(inputs: Inputs, figures: Figures): string {
  const { rate, hosts, fetches, bandwidth, volume, seen, near, memory, reach, machines, freshness } = figures;
  const row = (name: string, figure: string, how: string): string =>
    `  ${name.padEnd(WIDTH)} ${figure.padStart(14)}   ${how}`;
  const lines = [
    `${amount(inputs.pages)} pages in ${long(inputs.period / 1000)}`,
    row(
      'rate',
      `${amount(rate.pagesPerSecond)}/s`,
      `${amount(rate.pagesPerDay)} a day; ${amount(rate.peak)}/s at ${amount(inputs.peak)}x peak`,
    ),
    row('requests in flight', amount(fetches.inFlight), `at ${long(inputs['fetch-time'] / 1000)} a fetch`),
    row(
      'hosts in play',
      amount(hosts.inPlay),
      `one hit each ${long(hosts.period)}; ${amount(hosts.inPlayAtPeak)} at peak`,
    ),
    row('of one host', `${amount(hosts.pagesPerSecond)}/s`, `${amount(hosts.pagesPerDay)} a day at most`),
    row('hosts for the budget', amount(hosts.forBudget), `at ${amount(inputs.budget)} pages of a host in 30 days`),
    row(
      'back queues',
      amount(inputs['back-queues']),
      `bring ${amount(hosts.ceiling)}/s at most, ${amount(hosts.headroom)} of the peak`,
    ),
    row(
      'DNS',
      `${amount(fetches.recursionsPerSecond)}/s`,
      `of ${amount(fetches.lookupsPerSecond)} look-ups, ${percent(inputs['dns-hits'])} from the cache`,
    ),
    ...(hosts.largestSeconds === null
      ? []
      : [
          row(
            'the largest host',
            long(hosts.largestSeconds),
            `${amount(inputs['largest-host'])} pages, one after the other`,
          ),
        ]),
    '',
    'Network and disk',
    row(
      'bandwidth',
      `${formatSize(bandwidth.bytesPerSecond)}/s`,
      `${bits(bandwidth.bitsPerSecond)}; ${bits(bandwidth.peakBitsPerSecond)} at peak, ${percent(bandwidth.shareOfLink)} of the links`,
    ),
    row('fetched', formatSize(volume.fetched), `${formatSize(inputs['page-size'])} a page`),
    row(
      'stored',
      formatSize(volume.stored),
      `${formatSize(inputs['stored-size'])} a page, ${inputs.copies === 1 ? 'one copy' : `${amount(inputs.copies)} copies`}; ${formatSize(volume.storedPerYear)} a year`,
    ),
    ...(volume.disks === null
      ? []
      : [row('disks for a year', amount(volume.disks), `of ${formatSize(inputs['disk-size'])}`)]),
    row('a 304 saves', `${amount(freshness.savedBy304)}x`, 'of the bytes, and no host time: it costs a whole delay'),
    '',
    `${amount(inputs.urls)} known URLs`,
    row(
      'exact set',
      formatSize(seen.exactBytes),
      `${inputs['key-bytes']} bytes a key; ${amount(seen.collisions)} pairs collide`,
    ),
    row(
      `Bloom at ${percent(inputs['bloom-error'])}`,
      formatSize(seen.byError.bytes),
      `${amount(seen.byError.bitsPerKey)} bits a key, k = ${seen.byError.hashes}`,
    ),
    row(
      `Bloom of ${inputs['bloom-bits']} bits`,
      formatSize(seen.byBits.bytes),
      `${percent(seen.byBits.error)} lost, ${amount(seen.byBits.lost)} URLs, k = ${seen.byBits.hashes}`,
    ),
    row(
      `${amount(inputs.overfill)}x overfull`,
      `${amount(seen.overfull.factor)}x`,
      `the false positives: ${percent(seen.overfull.error)}`,
    ),
    row(
      'memory',
      formatSize(memory.all),
      `${formatSize(memory.urls)} for URLs, ${formatSize(memory.pages)} for pages that are kept (exact)`,
    ),
    row(
      'near-duplicates',
      `${near.tables} tables`,
      `${near.blocks} blocks; ${amount(near.candidates)} candidates a page, ${amount(near.comparedPerSecond)}/s compared at peak`,
    ),
    row(
      'reached at depth',
      amount(reach.depth),
      `${amount(inputs.branching)} new links a page; a cap of ${inputs.depth} leaves ${amount(reach.slackOrders)} orders`,
    ),
    row('the frontier drains', percent(reach.drainsBelow), 'new links or fewer'),
    '',
    'Machines and freshness',
    row(
      'by network',
      amount(machines.needed),
      `${amount(machines.pagesPerSecond)}/s each, ${percent(inputs.utilisation)} of ${amount(machines.ceiling)}; ${long(machines.seconds)} on ${amount(inputs.machines)}`,
    ),
    row('cores', amount(machines.cores), `at ${long(inputs.cpu / 1000)} a page`),
    row(
      'fresh',
      percent(freshness.fresh),
      `of the time, with ${inputs.changes === 1 ? 'one change' : `${amount(inputs.changes)} changes`} from visit to visit`,
    ),
  ];
  return lines.join('\n');
}

/** What a plan should not overlook. @param memory of this machine, bytes */
export function warningsOf(inputs: Inputs, figures: Figures, machineMemory: number): Warning[] {
  const { hosts, bandwidth, volume, seen, memory, reach } = figures;
  const warnings: Warning[] = [];
  const warn = (code: Warning['code'], says: string): number => warnings.push({ code, says });
  const period = inputs.period / 1000;
  if (hosts.largestSeconds !== null && hosts.largestSeconds > period) {
    warn(
      'huge-host',
      `The largest host alone takes ${long(hosts.largestSeconds)}: no machine makes that shorter, since a host is asked one page at a time. ` +
        'Ask its owner for a sitemap with dates, a feed, or an export.',
    );
  }
  const needed = Math.max(hosts.inPlayAtPeak, hosts.forBudget);
  if (inputs.hosts < needed) {
    warn(
      'few-hosts',
      `${amount(inputs.hosts)} hosts are too few: ${amount(hosts.inPlayAtPeak)} have to be in play at the peak, and their budgets make ` +
        `${amount(inputs.hosts * inputs.budget)} pages in 30 days. More hosts, a longer period, or a larger budget for those that agree.`,
    );
  }
  if (hosts.headroom < 1) {
    warn(
      'back-queues',
      `${formatCount(inputs['back-queues'])} back queues bring ${amount(hosts.ceiling)} pages/s, and the peak is ${amount((inputs.pages / period) * inputs.peak)}: raise frontier.backQueuesMax, or use more machines.`,
    );
  }
  const has = (Number.isNaN(inputs.memory) ? machineMemory : inputs.memory) * inputs.machines;
  if (memory.all > has) {
    warn(
      'memory',
      `${formatSize(memory.all)} of memory are needed and ${formatSize(has)} are there: more machines, or a Bloom filter of ${formatSize(seen.byBits.bytes)} for the seen set (it loses ${percent(seen.byBits.error)} of new URLs, silently).`,
    );
  }
  if (volume.disks !== null && volume.stored > inputs['disk-size'] * inputs.machines) {
    warn(
      'disk',
      `${formatSize(volume.stored)} will be stored, and the disks hold ${formatSize(inputs['disk-size'] * inputs.machines)}.`,
    );
  }
  if (bandwidth.shareOfLink > inputs.utilisation) {
    warn(
      'bandwidth',
      `The peak takes ${percent(bandwidth.shareOfLink)} of the network, and ${percent(inputs.utilisation)} can be used: ${amount(Math.ceil((inputs.machines * bandwidth.shareOfLink) / inputs.utilisation))} machines, or a lower peak.`,
    );
  }
  if (seen.byBits.load > 1.1) {
    warn(
      'bloom',
      `A Bloom filter made for ${amount(inputs['bloom-keys'])} keys that gets ${amount(inputs.urls)} loses ${percent(seen.byBits.error)} of new URLs, silently. ` +
        'Make it for all of them, and watch how full it is: an error rate cannot be seen.',
    );
  }
  if (reach.slackOrders < 1) {
    warn(
      'depth',
      `A depth cap of ${inputs.depth} cuts off pages: ${amount(inputs.urls)} URLs are met at depth ${amount(reach.depth)}.`,
    );
  }
  return warnings;
}
