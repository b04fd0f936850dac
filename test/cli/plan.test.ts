/** `saunter plan`: every figure that docs/plan.md quotes, computed by the command that stands beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../src/cli/plan-figures.js';
import { readInputs } from '../../src/cli/plan-inputs.js';
import { amount, long } from '../../src/cli/plan-numbers.js';
import { root } from '../support/saunter.js';
import { FakeProcess } from './process.js';

const doc = readFileSync(join(root, 'docs/plan.md'), 'utf8');

/** Rows of a table of the page, by its number. */
function table(n: number): string[][] {
  const tables = doc.split(/\n\n/).filter((part) => part.startsWith('| printed |'));
  return tables[n]
    .split('\n')
    .slice(2)
    .filter((line) => line !== '')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const UNITS: Record<string, number> = {
  ...{ '': 1, '%': 0.01, k: 1e3, M: 1e6, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, days: 86_400, years: 365 * 86_400 },
};

/** A printed figure: its value, and how many of its digits matter. */
function printed(text: string): { digits: string; count: number; unit: number } {
  const [, digits, unit] = /^([\d.,]+)\s*(%|[A-Za-z]*)$/.exec(text)!;
  const plain = digits.replace(/,/g, '');
  const significant = (plain.includes('.') ? plain : plain.replace(/0+$/, '')).replace('.', '').replace(/^0+/, '');
  return { digits: plain, count: Math.max(significant.length, 1), unit: UNITS[unit] };
}

function figure(flags: string, path: string): number {
  const words = flags.split(' ').filter((word) => word !== '');
  const given = new Map<string, string>();
  for (let i = 0; i < words.length; i += 2) given.set(words[i].replace(/^--/, ''), words[i + 1]);
  let value: unknown = figuresOf(readInputs(given));
  for (const key of path.split('.')) value = (value as Record<string, unknown>)[key];
  return value as number;
}

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

describe('the printed figures', () => {
  const quoted = [...table(0), ...table(1)];
  test('are all there', () => expect(quoted.length).toBeGreaterThanOrEqual(60));

  test.each(quoted)('%s (%s) is what plan %s says in %s', (text, _where, flags, path) => {
    const { digits, count, unit } = printed(text);
    expect(rounded(figure(flags, path) / unit, count)).toBe(Number(digits));
  });

  test.each([
    [333, '', 'rate.pagesPerSecond', 1, 386],
    [666, '', 'rate.peak', 1, 772],
    [93, '--kept 10B', 'near.candidates', 1, 51.2],
    [62, '--kept 10B --pages 333 --period 1s', 'near.comparedPerSecond', 1000, 34.1],
    [3.85, '--pages 10B --page-size 2MB --link 400Gbps --machines 4', 'machines.seconds', 86_400, 3.86],
    [6, '', 'seen.smaller', 1, 6.7],
    [267, '', 'bandwidth.bitsPerSecond', 1e6, 309],
    [533, '', 'bandwidth.peakBitsPerSecond', 1e6, 617],
    [0.53, '', 'bandwidth.shareOfLink', 1, 0.62],
    [800, '--factor 0', 'hosts.inPlayAtPeak', 1, 926],
  ])('that are wrong are named: %d is %s %s / %d = %d', (wrong, flags, path, unit, right) => {
    const count = String(right).replace('.', '').replace(/^0+/, '').length;
    expect(rounded(figure(flags, path) / unit, count)).toBe(right);
    expect(right).not.toBe(wrong);
    const names = right < 1 ? `${100 * right}%` : String(right);
    expect(doc.slice(doc.indexOf('## Printed figures that are wrong'))).toContain(names);
  });
});

describe('the command', () => {
  const plan = async (...args: string[]) => {
    const { code, out, err } = await new FakeProcess().run('plan', '--json', ...args);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out) as { inputs: Record<string, number | null>; warnings: { code: string; says: string }[] };
  };
  const codes = async (...args: string[]): Promise<string[]> => (await plan(...args)).warnings.map(({ code }) => code);
  const roomy = ['--memory', '10TB', '--link', '100Gbps'];

  test('says its figures in words', async () => {
    const { code, out } = await new FakeProcess().run('plan', ...roomy);
    expect(code).toBe(0);
    expect(out).toContain('1B pages in 30 days\n');
    expect(out).toMatch(/^ {2}rate +386\/s {3}33\.3M a day; 772\/s at 2x peak$/m);
    expect(out).toMatch(/^ {2}exact set +40 GB {3}8 bytes a key/m);
    expect(out).not.toContain('!');
  });

  test.each([
    [['--largest-host', '100M'], 'huge-host', /takes 6\.98 years.*sitemap with dates, a feed, or an export/],
    [['--hosts', '100'], 'few-hosts', /100 hosts are too few/],
    [['--back-queues', '64'], 'back-queues', /64 back queues bring 29\.1 pages\/s, and the peak is 772/],
    [['--memory', '8GB'], 'memory', /226 GB of memory are needed and 8 GB are there/],
    [['--disk-size', '1TB'], 'disk', /20 TB will be stored, and the disks hold 1 TB/],
    [['--link', '100Mbps'], 'bandwidth', /takes 617% of the network/],
    [['--bloom-keys', '1B'], 'bloom', /made for 1B keys that gets 5B loses/],
    [['--depth', '8'], 'depth', /cuts off pages/],
  ])('warns: %j', async (args, code, says) => {
    const inputs = new Map<string, string>();
    for (let i = 0; i < roomy.length; i += 2) inputs.set(roomy[i], roomy[i + 1]);
    inputs.set(args[0], args[1]);
    const { warnings } = await plan(...[...inputs].flat());
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
    expect(warnings[0].says).toMatch(says);
  });

  test('warns of nothing where all is well', async () => {
    expect(await codes(...roomy, '--hosts', '1M', '--largest-host', '100k', '--disk-size', '100TB')).toEqual([]);
  });

  test('says in JSON what was left open', async () => {
    expect((await plan('--pages', '5M')).inputs).toMatchObject({
      pages: 5_000_000,
      urls: 25_000_000,
      period: 2_592_000_000,
      hosts: null,
    });
  });

  test.each([
    [['--pages', 'many'], '--pages cannot be "many": give a number such as 10k, 5M, 1B or 1e9.'],
    [['--pages', '0'], '--pages cannot be "0"'],
    [['--pages', 'auto'], '--pages cannot be "auto"'],
    [['--hosts', 'auto'], '--hosts cannot be "auto"'],
    [['--period', '30'], '--period cannot be "30": give a duration such as 300ms, 10s or 30d.'],
    [['--bloom-error', '200%'], '--bloom-error cannot be "200%": give a value from 1.0e-10% to 50%.'],
    [['--link', '1GB'], '--link cannot be "1GB": give a rate such as 1Gbps.'],
    [['--branching', '1'], '--branching cannot be "1": give at least 1.01.'],
    [['--depth', '1e9'], '--depth cannot be "1e9": give a value from 1 to 1,000.'],
    [['--period', '5000d'], '--period cannot be "5000d": give a value from 1s to 3650d.'],
    [['--dir', '/nowhere'], '/nowhere holds no crawl'],
    [
      ['--dir', '/nowhere', '--pages', '10B'],
      '--pages is for a crawl that has not begun; with --dir only --delay and --back-queues are asked.',
    ],
    [['extra'], 'saunter plan has no use for "extra"'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await new FakeProcess().run('plan', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  });
});

test('numbers are said with three digits, times in the unit that suits them', () => {
  expect([386.4, 3858, 0.83333, 1_333_333, 5e9, 0.000671, 0, 1e12].map(amount)).toEqual([
    '386',
    '3,860',
    '0.833',
    '1.33M',
    '5B',
    '6.71e-4',
    '0',
    '1T',
  ]);
  expect([0.2, 1.2, 90, 7200, 1_000_000, 1.2e8].map(long)).toEqual([
    '200 ms',
    '1.2 s',
    '90 s',
    '2 h',
    '11.6 days',
    '3.81 years',
  ]);
});
