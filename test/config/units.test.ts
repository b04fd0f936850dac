import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPTIONS } from '../../src/config/config.js';
import { formatCount, formatDuration, formatSize, parseDuration, parseSize, writtenSize } from '../../src/units.js';

describe('durations', () => {
  it.each([
    ['300ms', 300],
    ['1s', 1000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['5min', 300_000],
    ['2h', 7_200_000],
    ['30d', 2_592_000_000],
    ['1h30m', 5_400_000],
    [' 10S ', 10_000],
    ['0', 0],
    [250, 250],
  ])('%j is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '5',
    '-1s',
    '1 s',
    's',
    '1s2',
    '1,5s',
    'ten',
    '1e3s',
    '1..5s',
    null,
    undefined,
    {},
    ['1s'],
    '9'.repeat(41),
  ])('%j is no duration', (text) => {
    expect(parseDuration(text)).toBeNaN();
  });

  it('is printed so that it reads back within 1%', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e11 }), (ms) => {
        expect(Math.abs(parseDuration(formatDuration(ms)) - ms)).toBeLessThanOrEqual(ms / 100);
      }),
    );
  });

  it.each([
    [86_400_000, '24h'],
    [172_800_000, '2d'],
    [5_400_000, '1h30m'],
    [61_000, '1m1s'],
    [1234, '1s234ms'],
    [0, '0'],
    [Number.POSITIVE_INFINITY, 'off'],
  ])('%d ms is printed %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('sizes', () => {
  it.each([
    ['64KiB', 65_536],
    ['1GiB', 1_073_741_824],
    ['1 gib', 1_073_741_824],
    ['1.5MB', 1_500_000],
    ['512', 512],
    ['512B', 512],
    [77, 77],
  ])('%j is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', 'KiB', '-1B', '1iB', '1XB', '1K', null, {}])('%j is no size', (text) => {
    expect(parseSize(text)).toBeNaN();
  });

  it('is printed in the largest unit that fits', () => {
    expect([0, 900, 65_536, 1_610_612_736].map(writtenSize)).toEqual(['0B', '900B', '64KiB', '1.5GiB']);
  });

  it.each([
    [0, '0 B'],
    [900, '900 B'],
    [999.4, '999 B'],
    [999.6, '1 kB'],
    [12_345, '12.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [4_294_967_296, '4.29 GB'],
    [2e16, '20 PB'],
  ])('%d bytes are told as %s, and that reads back within 1%%', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
    if (bytes < 1e15) expect(Math.abs(parseSize(text) - bytes)).toBeLessThanOrEqual(bytes / 100);
  });

  it('is told by one function alone', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const own = files.filter((file) => /\} ?[kKMGT]i?B\b/.test(readFileSync(join('src', file), 'utf8')));
    expect(own).toEqual([]);
  });
});

it('prints counts with separators', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
});

it('prints every default duration and size so that it reads back exactly', () => {
  const quantities = Object.entries(OPTIONS).filter(([, option]) => /^a (duration|size)/.test(option.allowed));
  expect(quantities.length).toBeGreaterThan(30);
  for (const [name, option] of quantities) {
    if (option.shown === 'off' || option.shown === 'auto') continue;
    expect(option.read(option.shown), name).toBe(option.initial);
  }
});
