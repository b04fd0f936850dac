/** What a command costs: CPU of all its processes, peak memory, wall time. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

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

export interface MeasureOptions {
  readonly cwd?: string;
  /** Added to ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** A file for standard output and standard error; {@link Cost.stdout} is then empty. */
  readonly log?: string;
  /** Milliseconds after which the command is killed. */
  readonly timeout?: number;
  /** Called at the start with what tells the CPU of the command's own process so far, ms. */
  readonly started?: (cpuSoFar: () => number) => void;
}

/** The kernel keeps the peak itself; this only has to look once shortly before the end. */
const SAMPLE_MS = 100;

/** Runs a command to its end. Its standard error goes to ours, unless there is a file for it. POSIX only: Node tells a
 * process nothing about what its children cost, and the shell's `times` does. */
export async function measure(command: readonly string[], options: MeasureOptions = {}): Promise<Cost> {
  const { cwd, env, log, timeout } = options;
  const script = '"$@"; code=$?; times >&3; exit $code';
  const started = performance.now();
  const file = log === undefined ? null : openSync(log, 'a');
  const shell = spawn('sh', ['-c', script, 'sh', ...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', file ?? 'pipe', file ?? 'inherit', 'pipe'],
  });
  if (file !== null) closeSync(file);
  options.started?.(() => childrenOf(shell.pid!).reduce((sum, pid) => sum + cpu(pid), 0));
  let rss = 0;
  const sampler = setInterval(() => {
    rss = Math.max(rss, ...childrenOf(shell.pid!).map(peak));
  }, SAMPLE_MS);
  const limit = timeout === undefined ? undefined : setTimeout(() => childrenOf(shell.pid!).forEach(kill), timeout);
  const [stdout, times, code] = await Promise.all([
    shell.stdout === null ? '' : readAll(shell.stdout),
    readAll(shell.stdio[3] as NodeJS.ReadableStream),
    new Promise<number | null>((resolve, reject) => shell.on('error', reject).on('close', resolve)),
  ]);
  clearInterval(sampler);
  clearTimeout(limit);
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

/** The processes that a process has started; none without /proc, or when it has just ended. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}

/** VmHWM of a process, in MiB. */
function peak(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Clock ticks of /proc a second, on every Linux. */
const TICKS = 100;

/** User and system CPU of a process, all its threads, ms; 0 where /proc does not tell. */
function cpu(pid: number): number {
  try {
    // what follows the name, which may hold anything, begins with the third field
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return 0;
  }
}
