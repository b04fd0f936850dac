import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { DEFAULT_TIMEOUTS } from '../../src/fetch/http-messages.js';
import { ROBOTS_MAX_BYTES } from '../../src/fetch/robots.js';
import { MAX_ATTEMPTS } from '../../src/frontier/url-table.js';
import { DEFAULT_KEY_OPTIONS } from '../../src/url/normalize.js';
import { DEFAULT_TRAP_LIMITS } from '../../src/url/traps.js';

const config = loadConfig();

it('what a part does by default, when used by itself, is what the table says', () => {
  expect(DEFAULT_KEY_OPTIONS).toEqual({
    trackingParameters: config['url.tracking'],
    sessionParameters: config['url.session'],
    pathSessionParameters: config['url.pathSession'],
    sessionTokenLength: config['url.sessionLength'],
  });
  expect(DEFAULT_TRAP_LIMITS).toEqual({
    length: config['trap.urlLength'],
    depth: config.depth,
    repeat: config['trap.repeat'],
    queries: config['trap.queries'],
    sketchBytes: config['trap.sketch'],
  });
  expect(DEFAULT_TIMEOUTS).toEqual({
    connect: config['timeout.connect'],
    tls: config['timeout.tls'],
    firstByte: config['timeout.firstByte'],
    whole: config['timeout.whole'],
    slowBytesPerSecond: config['timeout.slowRate'],
    slowAfter: config['timeout.slow'],
  });
  expect(ROBOTS_MAX_BYTES).toBe(config['robots.bytes']);
});

it('no ladder is longer than the attempts that the URL table can count', () => {
  const ladder = (length: number) => () => loadConfig({ 'retry.ladder': Array(length).fill('1s') });
  expect(ladder(MAX_ATTEMPTS - 1)).not.toThrow();
  expect(ladder(MAX_ATTEMPTS)).toThrow('1 to 8 durations');
});
