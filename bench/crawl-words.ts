/** What the benches of a whole crawl say of their results: lines to print, which are also those of `results.md`. */
import type { CoresRow } from './cores.js';
import type { CrawlBenchResult } from './crawl.js';
import type { LoopDelay } from './crawl-run.js';
import type { SustainResult } from './sustain.js';

/** Lines of Markdown. */
export function crawlWords(result: CrawlBenchResult, faults: readonly string[]): string[] {
  const { cpu, warmCpu, user, system, pages, pagesPerSecond, seconds, rss, stages } = result;
  const lines = [
    `- ${cpu.toFixed(2)} ms CPU a page (user ${user.toFixed(2)}, system ${system.toFixed(2)}), ${pages} pages`,
    `- ${warmCpu.toFixed(2)} ms CPU a page warm, after the first quarter of them`,
    `- ${pagesPerSecond.toFixed(0)} pages/s over ${seconds.toFixed(1)} s; at most ${rss.toFixed(0)} MiB`,
    ...delayWords(result),
    `- beside it the synthetic server took ${result.serverCpu.toFixed(2)} ms a page; at most ${result.mostAtOncePerHost} request at once on a host`,
    `- ${result.reparse.toFixed(2)} ms CPU a page to parse them again from the archive`,
  ];
  if (stages.length > 0) {
    lines.push('', '| stage, by V8’s profiles of all threads | share | ms a page |', '| --- | --: | --: |');
    for (const { name, share } of stages) {
      if (share < 0.002) continue;
      lines.push(`| ${name} | ${(100 * share).toFixed(1)}% | ${(share * cpu).toFixed(3)} |`);
    }
    lines.push('');
  }
  return [...lines, ...faultWords(faults)];
}

/** The head of the table of `-- cores`, and a row of it. */
export const CORES_HEAD: readonly string[] = [
  '| cores | page workers | cores of the server | CPU ms a page | pages/s | peak MiB | loop late, p99 ms |',
  '| --: | --: | --: | --: | --: | --: | --: |',
];

export function coresWords(row: CoresRow): string {
  const { cores, workers, serverCores, cpu, pagesPerSecond, rss, loopDelay, faults } = row;
  const figures = [cpu.toFixed(2), pagesPerSecond.toFixed(0), rss.toFixed(0), loopDelay.toFixed(1)].join(' | ');
  return `| ${cores} | ${workers} | ${serverCores} | ${figures} |${faults.map((fault) => ` FAULT: ${fault}`).join('')}`;
}

/** Lines of Markdown. */
export function sustainWords(result: SustainResult): string[] {
  const { pages, seconds, pagesPerSecond, cpu, serverCpu, idle, rss } = result;
  return [
    `- ${pagesPerSecond.toFixed(1)} pages/s over ${seconds.toFixed(0)} s: ${pages} pages, each host asked once a second`,
    `- ${cpu.toFixed(2)} ms CPU a page, beside it the server ${serverCpu.toFixed(2)}; ${(100 * idle).toFixed(0)}% of the cores was left by both`,
    `- at most ${rss.toFixed(0)} MiB`,
    ...delayWords(result),
    ...faultWords(result.faults),
  ];
}

function delayWords({ main, workers }: { main: LoopDelay; workers: LoopDelay }): string[] {
  return (['main thread', 'page workers'] as const).map((name, index) => {
    const { p99, most, p99OnThisMachine } = [main, workers][index]!;
    return `- event loop of the ${name}: ${p99.toFixed(1)} ms late (p99; the longest ${most.toFixed(0)} ms), ${p99OnThisMachine.toFixed(1)} ms with waiting for a core`;
  });
}

function faultWords(faults: readonly string[]): string[] {
  return faults.map((fault) => `- FAULT: ${fault}`);
}
