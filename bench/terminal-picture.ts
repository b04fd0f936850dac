/** A program on a terminal of a given size: what stands on its screen at a moment, and a page that shows it for a picture. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Recorded {
  readonly child: ChildProcess;
  /** The lines of the screen. */
  screen(): string[];
}

/** Starts a command on a pseudo-terminal, which `script` of util-linux gives. @param command words without quotes in them */
export function onTerminal(
  command: readonly string[],
  { columns, rows }: { columns: number; rows: number },
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Recorded {
  const line = `stty cols ${columns} rows ${rows}; exec ${command.map((word) => `'${word}'`).join(' ')}`;
  const env = { ...options.env, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const child = spawn('script', ['-qfec', line, '/dev/null'], { ...options, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let received = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    received = (received + text).slice(-1_000_000);
  });
  return { child, screen: () => screenOf(received) };
}

/** What stands on the screen after so much output: carriage returns, newlines, moves up, and what clears. */
function screenOf(output: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [token] of output.matchAll(/\x1b\[[\d;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+/g)) {
    const [, number = '', verb = ''] = /^\x1b\[([\d;?]*)([A-Za-z])$/.exec(token) ?? []; // biome-ignore format: short
    if (token === '\r') column = 0;
    else if (token === '\n') lines[++row] ??= '';
    else if (verb === 'A') row = Math.max(0, row - Number(number || 1));
    else if (verb === 'K') lines[row] = number === '2' ? '' : lines[row].slice(0, column);
    else if (verb === 'J') lines.splice(row, lines.length, lines[row].slice(0, column));
    else if (verb === '') {
      lines[row] = lines[row].slice(0, column).padEnd(column) + token + lines[row].slice(column + token.length);
      column += token.length;
    }
  }
  return lines;
}

/** A page that shows a terminal. */
export function terminalPage(lines: readonly string[], columns: number): string {
  const text = lines.join('\n').replace(/[<&]/g, (c) => (c === '<' ? '&lt;' : '&amp;'));
  return `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; background: transparent; }
  main { width: max-content; padding: 0 0 18px; border-radius: 10px; background: #171c20; color: #dfe6e3; }
  header { display: flex; gap: 8px; padding: 12px 14px 10px; }
  header span { width: 12px; height: 12px; border-radius: 6px; background: #3a444b; }
  pre { margin: 0; padding: 4px 20px 0; width: ${columns}ch; font: 14px/1.45 'DejaVu Sans Mono', monospace; }
  pre::first-line { color: #5ad1c2; }
  </style><main><header><span></span><span></span><span></span></header><pre>${text}</pre></main>`;
}
