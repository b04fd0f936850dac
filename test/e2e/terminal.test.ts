/** The whole program on a real terminal (a pty, by `script` of util-linux). */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { program, removeScratches, scratch } from '../support/saunter.js';
import { Screen } from '../support/screen.js';
import { links, Sites } from '../support/sites.js';

afterAll(removeScratches);

test('a crawl that is watched and interrupted leaves a readable screen and nothing else', async () => {
  const site = await Sites.start({
    '*': (target) =>
      `<title>\x1b[2J\x07${target}</title>${links(`/${Number.parseInt(target.slice(1), 10) + 1}?a=\x1b[2J`)}`,
  });
  const dir = scratch();
  const flags = [
    '--dir',
    dir,
    '--delay',
    '50ms',
    '--allow-private',
    '127.0.0.0/8',
    '--config',
    'off',
    '--workers',
    '1',
  ];
  const words = [process.execPath, program, 'crawl', site.url('127.0.0.1', '/0'), ...flags];
  const command = `stty cols 140 rows 24; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const terminal = spawn('script', args, { env: { ...process.env, TERM: 'xterm', LANG: 'C.UTF-8', LC_ALL: '' } });
  let said = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const over = new Promise<number | null>((resolve) => terminal.on('close', resolve));
  const seen = async (what: RegExp) => {
    while (!what.test(said) && terminal.exitCode === null) await pause(20);
  };
  await seen(/ {2}200 ok .*\/[1-9]/);
  terminal.stdin.write('\x03');
  expect(await over, said).toBe(130);
  await site.stop();

  const screen = new Screen(140);
  screen.write(said.replaceAll('\r\n', '\n')); // a terminal begins each line at its start
  expect(screen.text).toMatch(
    /^Crawling into \S+ Ctrl-C stops cleanly\.\nStopping: [^\n]*\n(?:[^\n]+\n)?The crawl so far: \d+ pages? of 1 host/,
  );
  expect(screen.text).toMatch(/Stopped\. To go on: saunter crawl --dir .*with the same options\.$/);
  expect(screen.text).not.toMatch(/in their delay|crawling/);
  expect(said).toMatch(/pages +\d+ .*\d\/s/);
  expect(said).not.toContain('\x1b[2J');
  expect(said).not.toContain('\x1b[?');
});
