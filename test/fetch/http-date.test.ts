import { describe, expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate, parseRetryAfter, validatorDate } from '../../src/fetch/http-date.js';

const NOW = Date.UTC(2026, 0, 1);

describe('an HTTP date', () => {
  it('is read in the three forms of RFC 9110 and written in the first', () => {
    const time = Date.UTC(1994, 10, 6, 8, 49, 37);
    for (const text of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      expect(parseHttpDate(text, NOW), text).toBe(time);
    }
    expect(formatHttpDate(time)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  });

  it('of two digits is at most 50 years ahead', () => {
    const year = (text: string) =>
      new Date(parseHttpDate(`Monday, 01-Jan-${text} 00:00:00 GMT`, NOW)!).getUTCFullYear();
    expect([year('76'), year('77'), year('26')]).toEqual([2076, 1977, 2026]);
  });

  it('that is none is none', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-01-01',
      'Sun, 99 Nov 1994 08:49:37 GMT',
      'Sun, 06 Foo 1994 08:49:37 GMT',
      'a'.repeat(100_000),
    ]) {
      expect(parseHttpDate(text, NOW), text.slice(0, 40)).toBeNull();
    }
  });

  it('goes back as a validator in the strict form', () => {
    expect(validatorDate('Thu, 22 Dec 2017 07:51:19 GMT', NOW)).toBe('Thu, 22 Dec 2017 07:51:19 GMT');
    expect(validatorDate('Friday, 22-Dec-17 07:51:19 GMT', NOW)).toBe('Fri, 22 Dec 2017 07:51:19 GMT');
    expect(validatorDate('now', NOW)).toBeNull();
  });
});

describe('Retry-After', () => {
  it('is a number of seconds or a date, from 0 to 24 hours', () => {
    const day = 24 * 3600 * 1000;
    expect(parseRetryAfter('5', NOW)).toBe(5000);
    expect(parseRetryAfter('0', NOW)).toBe(0);
    expect(parseRetryAfter('99999999999999999999', NOW)).toBe(day);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', NOW)).toBe(60_000);
    expect(parseRetryAfter('Thu, 01 Jan 2015 00:01:00 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('Thu, 01 Jan 2032 00:01:00 GMT', NOW)).toBe(day);
  });

  it('that says nothing is ignored', () => {
    for (const text of [null, '', 'abc', '-5', '1e9', 'Infinity', '5 s']) expect(parseRetryAfter(text, NOW)).toBeNull();
  });
});
