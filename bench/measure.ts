/** What a command costs: CPU of all its processes, peak memory, wall time. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Cost {
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly seconds: number;
  /** CPU of the command and of all processes it has waited for, in ms (the shell's clock ticks: 10 ms). */
  readonly user: number;
  readonly system: number;
  /** Peak resident memory of the command's own process in MiB (Linux; else 0). */
  readonly rss: number;
}

/** The kernel keeps the peak itself; this only has to look once shortly before the end. */
const SAMPLE_MS = 100;

/** Runs a command to its end. Its standard error goes to ours. POSIX only: Node tells a process nothing about what its
 * children cost, and the shell's `times` does. */
export async function measure(command: readonly string[]): Promise<Cost> {
  const script = '"$@"; code=$?; times >&3; exit $code';
  const started = performance.now();
  const shell = spawn('sh', ['-c', script, 'sh', ...command], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  let rss = 0;
  const sampler = setInterval(() => {
    rss = Math.max(rss, peakOfChildren(shell.pid!));
  }, SAMPLE_MS);
  const [stdout, times, code] = await Promise.all([
    readAll(shell.stdio[1] as NodeJS.ReadableStream),
    readAll(shell.stdio[3] as NodeJS.ReadableStream),
    new Promise<number | null>((resolve, reject) => shell.on('error', reject).on('close', resolve)),
  ]);
  clearInterval(sampler);
  const [user, system] = childTimes(times);
  return { code, stdout, seconds: (performance.now() - started) / 1000, user, system, rss };
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

/** The second line of `times`, such as `0m12.340000s 1m0.500000s`, in ms. */
function childTimes(text: string): [user: number, system: number] {
  const values = (text.split('\n')[1] ?? '').split(' ').map((value) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(value) ?? [];
    return Number(minutes) * 60_000 + Number(seconds) * 1000;
  });
  return [values[0] ?? Number.NaN, values[1] ?? Number.NaN];
}

/** The largest VmHWM among the children of a process, in MiB. */
function peakOfChildren(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return Math.max(0, ...children.map((child) => peak(`/proc/${child}/status`)));
  } catch {
    return 0; // no /proc, or the process has just ended
  }
}

function peak(path: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) / 1024;
}
