import { describe, expect, test } from 'vitest';
import { replay } from '../../src/cli/simulate.js';
import { FakeProcess } from './process.js';

const simulate = (...args: string[]) => new FakeProcess().run('simulate', ...args);
const TINY = ['--hosts', '50', '--pages', '20', '--days', '0.003', '--rate', '20'];

describe('saunter simulate', { timeout: 30_000 }, () => {
  test('reports rate, utilisation, fairness, waiting, faults and checks of one web', async () => {
    const { code, out, err } = await simulate(...TINY, '--seed', '4', '--crashes', '0');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^4m19s of a web of 50 hosts, seed 4, in .*: every promise kept\.$/m);
    for (const row of [
      'rate',
      'ceilings',
      'utilisation',
      'between two leases',
      'a due host waited',
      'waiting',
      'faults',
    ]) {
      expect(out).toMatch(new RegExp(`^ {2}${row} +\\S`, 'm'));
    }
  });

  test('gives the same figures for the same seed, as one line of JSON', async () => {
    const [first, again] = [await simulate(...TINY, '--json'), await simulate(...TINY, '--json')];
    const { realTime: _, ...figures } = JSON.parse(first.out);
    expect(JSON.parse(again.out)).toMatchObject(figures);
    expect(figures).toMatchObject({ seed: 1, violation: null, hosts: 50, lives: 2 });
    expect(figures.requests).toBeGreaterThan(300);
    expect(figures.gaps.p50).toBeGreaterThanOrEqual(1_000);
  });

  test('runs many small webs, and sums up', async () => {
    const { code, out } = await simulate('--seeds', '3', '--seed', '7', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ seeds: 3, failed: [] });
    expect(report.known).toBe(report.done + report.denied + report.dead);
  });

  test('obeys the options of a real crawl', async () => {
    const { out } = await simulate(...TINY, '--delay', '5s', '--json');
    expect(JSON.parse(out).smallestIdle).toBeGreaterThanOrEqual(5_000);
  });

  test.each([
    [['--sizes', 'huge'], '--sizes "huge" is not allowed: give one of spread, equal, giant.'],
    [['--errors', '120%'], '--errors "120%" is not allowed: give a share from 0% to 100%.'],
    [['--hosts', '2000000', '--pages', '100000'], 'A web of over a billion pages: take fewer --hosts or --pages.'],
    [
      ['--seeds', '2', '--rate', '5'],
      '--rate says nothing about small webs: with --seeds each draws its own. Leave one of them out.',
    ],
    [['--seeds', '0'], '--seeds "0" is not allowed: give a whole number from 1 to 1,000,000.'],
  ])('refuses %j', async (args, sentence) => {
    expect(await simulate(...args)).toEqual({ code: 2, out: '', err: `${sentence}\n` });
  });

  test('names the command that shows a failing seed again', () => {
    const flags = new Map([
      ['hosts', '50'],
      ['seeds', '100'],
      ['json', ''],
    ]);
    expect(replay({ flags, options: { delay: '5s' } }, { seed: 17, seeds: 1 })).toBe(
      'saunter simulate --hosts 50 --seeds 1 --delay 5s --seed 17',
    );
  });
});
