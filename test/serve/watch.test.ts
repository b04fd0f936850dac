/** Which host is failing, at any pace of the crawl. */
import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../../src/changes.js';
import { Watch } from '../../src/embedded/watch.js';
import type { OutcomeCode } from '../../src/errors.js';

const START = 1_700_000_000_000;

function request(host: number, ended: number, code: OutcomeCode): RequestRow {
  return {
    ...{
      id: 0,
      url: 0,
      host,
      address: '192.0.2.1',
      kind: 'page',
      target: 'http://a.test/',
      started: ended - 10,
      ended,
    },
    ...{ status: code === 'ok' ? 200 : 0, code, bytes: 100, delay: 1000, addressDelay: 1000, record: null },
  };
}

/** A minute of requests: the first host's all fail, those of 1,000 others do not. */
function watched(perSecond: number, ofTheSick: number): Watch {
  const watch = new Watch();
  const requests: RequestRow[] = [];
  for (let i = 0; i < 60 * perSecond; i++)
    requests.push(request(1 + (i % 1000), START + Math.floor((i * 1000) / perSecond), 'ok'));
  for (let i = 0; i < ofTheSick; i++)
    requests.push(request(0, START + Math.floor((i * 60_000) / ofTheSick), 'connect.refused'));
  requests.sort((a, b) => a.ended - b.ended);
  watch.committed({ requests, visits: [] });
  return watch;
}

describe('the host that fails most', () => {
  test.each([50, 386, 2000])('is found at %i requests a second', (perSecond) => {
    expect(watched(perSecond, 60).sickest(START + 59_000)).toMatchObject({ host: 0 });
  });

  test('is asked ten times at least within the last minute, and fails four times of five', () => {
    const end = START + 59_000;
    expect(watched(50, 9).sickest(end)).toBeNull();
    const watch = watched(50, 0);
    const answers = (host: number, codes: OutcomeCode[]) =>
      watch.committed({ requests: codes.map((code) => request(host, end, code)), visits: [] });
    answers(2000, [...Array(10).fill('read.closed'), ...Array(3).fill('ok')]);
    expect(watch.sickest(end)).toBeNull();
    answers(2000, Array(2).fill('read.closed'));
    expect(watch.sickest(end)).toEqual({ host: 2000, requests: 15, failed: 12 });
    answers(2001, Array(13).fill('read.closed'));
    expect(watch.sickest(end)).toMatchObject({ host: 2001, failed: 13 });
  });

  test('is forgotten a minute after', () => {
    const watch = watched(50, 60);
    expect(watch.sickest(START + 121_000)).toBeNull();
    watch.committed({ requests: [request(0, START + 121_000, 'ok')], visits: [] });
    expect(watch.sickest(START + 121_000)).toBeNull();
  });
});
