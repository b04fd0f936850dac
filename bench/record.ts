/** `bench/results.md`: one section for each bench, with what it was measured on; `--record` writes its section anew. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';

const FILE = resolve('bench/results.md');
const INTRODUCTION = `# What was measured

Each section was written by \`npm run bench -- NAME --record\` and says on what machine, on what day and at which commit.
What the benches do stands in [README.md](README.md). Machines differ, and so do days of one machine: compare the figures of
one section, not those of two.
`;

/** The machine, in one line of Markdown: what a figure is worth depends on it. */
function machine(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit()}; Node ${process.version}, ${cpus().length} x ${first?.model.trim() ?? 'unknown'}, ${memory}.`;
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : ' and changes');
  } catch {
    return 'unknown';
  }
}

/** Writes a section, in place of the one of that name.
 * @param lines Markdown; what is no table and no list becomes one */
export function record(name: string, lines: readonly string[]): void {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : INTRODUCTION;
  const [top = '', ...sections] = text.split(/^(?=## )/m);
  const listed = lines.map((line) => (/^([-|]|$)/.test(line) ? line : `- ${line.trim()}`));
  const section = `## ${name}\n\n${machine()}\n\n${listed.join('\n').trim()}\n`;
  const index = sections.findIndex((other) => other.startsWith(`## ${name}\n`));
  if (index < 0) sections.push(section);
  else sections[index] = section;
  writeFileSync(FILE, `${[top, ...sections].map((part) => part.trim()).join('\n\n')}\n`);
}
