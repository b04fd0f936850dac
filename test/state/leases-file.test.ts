import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.js';
import { LeasesFile, type OpenLease, readOpenLeases } from '../../src/state/leases-file.js';

const NOW = 1_790_000_000_000;
let dir: string;
let path: string;
const files: LeasesFile[] = [];
const open = (carried: readonly OpenLease[] = []): LeasesFile => {
  const file = new LeasesFile(dir, carried);
  files.push(file);
  return file;
};
const lease = (url: number, over: Partial<OpenLease> = {}): OpenLease => ({
  url,
  host: url & 7,
  kind: url === -1 ? 'robots' : 'page',
  at: NOW + url,
  ...over,
});

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'saunter-leases-'));
  path = join(dir, 'leases.open');
});
afterEach(() => {
  for (const file of files.splice(0)) file.close();
  rmSync(dir, { recursive: true });
});

describe('leases.open', () => {
  test('lists what was granted and not settled, in order, without being closed', () => {
    const file = open();
    file.granted([lease(1), lease(2), lease(-1, { host: 9 })]);
    file.granted([lease(3, { kind: 'sitemap' })]);
    file.settled([lease(2)]);
    expect(readOpenLeases(dir)).toEqual({
      leases: [lease(1), lease(-1, { host: 9 }), lease(3, { kind: 'sitemap' })],
      clean: false,
      stoppedAt: null,
    });
    expect(file.size).toBe(3);
  });

  test('tells two leases of one URL apart: settling the first leaves the second', () => {
    const file = open();
    file.granted([lease(1)]);
    file.granted([lease(1, { at: NOW + 500 })]);
    file.settled([lease(1)]);
    expect(readOpenLeases(dir).leases).toEqual([lease(1, { at: NOW + 500 })]);
  });

  test('a clean stop empties the file and is dated; the next opening takes the mark away', () => {
    const file = open();
    file.granted([lease(1)]);
    file.settled([lease(1)]);
    file.stop(NOW + 9);
    expect(readOpenLeases(dir)).toEqual({ leases: [], clean: true, stoppedAt: NOW + 9 });
    expect(readFileSync(path, 'latin1').split('\n')).toHaveLength(3);
    open();
    expect(readOpenLeases(dir)).toEqual({ leases: [], clean: false, stoppedAt: null });
  });

  test('a stop with a lease still out is not clean and forgets nothing', () => {
    const file = open();
    file.granted([lease(1), lease(2)]);
    file.settled([lease(1)]);
    file.stop(NOW);
    expect(readOpenLeases(dir)).toMatchObject({ leases: [lease(2)], clean: false });
  });

  test('no file is an unclean stop of nothing', () => {
    expect(readOpenLeases(dir)).toEqual({ leases: [], clean: false, stoppedAt: null });
  });

  test('leases of the last run stay listed through further crashes until they are settled', () => {
    open().granted([lease(1), lease(2)]);
    const second = open(readOpenLeases(dir).leases);
    second.granted([lease(3)]);
    second.settled([lease(1)]);
    expect(readOpenLeases(dir).leases).toEqual([lease(2), lease(3)]);
    open(readOpenLeases(dir).leases);
    expect(readOpenLeases(dir).leases).toEqual([lease(2), lease(3)]);
  });

  test('cut anywhere, it lists the leases of the whole lines before the cut', () => {
    const file = open();
    file.granted([lease(1), lease(2), lease(3)]);
    file.settled([lease(2)]);
    const whole = readFileSync(path);
    for (let length = whole.length; length >= 0; length--) {
      truncateSync(path, length);
      const lines = whole.subarray(0, length).toString('latin1').split('\n').slice(0, -1);
      const expected = [1, 2, 3].filter((url) => lines.some((line) => line.startsWith(`+ ${url} `)));
      const settled = lines.some((line) => line.startsWith('- 2 '));
      expect(readOpenLeases(dir).leases.map((it) => it.url)).toEqual(settled ? [1, 3] : expected);
    }
  });

  test('what it does not understand is skipped, in linear time', () => {
    writeFileSync(path, 'saunter leases 1\n+ 1 1 page 5\n+ x\n- 1 1 page\n+ 2 2 page -5\n+ -2 1 page 5\nclean\n');
    appendFileSync(path, `+ ${'9'.repeat(2_000_000)}\n${'+ '.repeat(1_000_000)}\n\n\n+ 7 7 robots 7\n`);
    const started = performance.now();
    expect(readOpenLeases(dir).leases.map((it) => it.url)).toEqual([1, 7]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('stays short while leases come and go, and loses none that is out', () => {
    const file = open();
    file.granted([lease(-1, { host: 42 })]);
    let most = 0;
    for (let batch = 0; batch < 150; batch++) {
      const leases = Array.from({ length: 300 }, (_, i) => lease(batch * 300 + i));
      file.granted(leases);
      file.settled(leases);
      most = Math.max(most, statSync(path).size);
    }
    expect(most).toBeLessThan(2 ** 20 + 20_000);
    expect(readOpenLeases(dir).leases).toEqual([lease(-1, { host: 42 })]);
    expect(readdirSync(dir)).toEqual(['leases.open']);
  });

  test('after any run of grants, settlements and restarts it lists exactly what is out', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('grant' as const), urls: fc.array(fc.nat(20), { maxLength: 5 }) }),
      fc.record({ do: fc.constant('settle' as const), urls: fc.array(fc.nat(20), { maxLength: 5 }) }),
      fc.record({ do: fc.constant('crash' as const), urls: fc.constant([]) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      rmSync(path, { force: true });
      let file = open();
      const out = new Set<number>();
      for (const { do: verb, urls } of steps) {
        if (verb === 'grant') file.granted(urls.map((url) => lease(url)));
        if (verb === 'settle') file.settled(urls.map((url) => lease(url)));
        for (const url of urls) verb === 'grant' ? out.add(url) : out.delete(url);
        if (verb === 'crash') {
          file.close();
          file = open(readOpenLeases(dir).leases);
        }
        expect(readOpenLeases(dir).leases.map((it) => it.url)).toEqual([...out]);
        expect(file.size).toBe(out.size);
      }
      file.close();
    });
    fc.assert(property, { numRuns: 25 });
  });

  test('a disk that refuses is named', () => {
    expect(() => new LeasesFile(join(dir, 'missing'), [])).toThrow(UserError);
    expect(() => new LeasesFile(join(dir, 'missing'), [])).toThrow(/missing.*leases\.open/);
  });
});
