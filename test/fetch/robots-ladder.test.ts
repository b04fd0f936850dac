import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type OutcomeCode } from '../../src/errors.js';
import {
  ROBOTS_TIMES,
  type RobotsAnswer,
  type RobotsState,
  robotsVerdict,
  rulesOf,
} from '../../src/fetch/robots-ladder.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

const answer = (code: OutcomeCode, status = 0, more: Partial<RobotsAnswer> = {}): RobotsAnswer => ({
  code,
  status,
  redirects: 0,
  ...more,
});
const body = (text: string) => Buffer.from(text);
const rules = (text = 'User-agent: *\nDisallow: /x\n') => answer('ok', 200, { body: body(text) });
const stateAfter = (answers: RobotsAnswer[], step = 0) =>
  answers.reduce<RobotsState | null>((state, a, i) => robotsVerdict(a, state, NOW + i * step), null) as RobotsState;

/** Every code that is neither a whole 2xx, nor a 4xx, nor a redirect too many. */
const FAILURES = (Object.keys(OUTCOMES) as OutcomeCode[]).filter(
  (code) => !['ok', 'http.gone', 'http.client', 'redirect.chain'].includes(code),
);

describe('an answer', () => {
  it('that is whole brings its rules for a day', () => {
    const state = stateAfter([rules()]);
    expect(state).toMatchObject({
      verdict: 'rules',
      fetchedAt: NOW,
      expiresAt: NOW + DAY,
      retryAt: NOW + DAY,
      failures: 0,
    });
    expect(state.copyIsNew).toBe(true);
    const compiled = rulesOf(state, body('User-agent: *\nDisallow: /x\n'), 'Saunter');
    expect([compiled.allows('/x'), compiled.allows('/y')]).toEqual([false, true]);
  });

  it('that is missing allows all for a day', () => {
    for (const status of [400, 401, 403, 404, 410, 451]) {
      const state = stateAfter([answer(status === 404 || status === 410 ? 'http.gone' : 'http.client', status)]);
      expect(state).toMatchObject({ verdict: 'allow-all', expiresAt: NOW + DAY, failures: 0 });
      expect(rulesOf(state, null, 'Saunter').allows('/x')).toBe(true);
    }
  });

  it('of a sixth redirect allows all, of a broken one nothing', () => {
    expect(stateAfter([answer('redirect.chain', 301, { redirects: 6 })]).verdict).toBe('allow-all');
    expect(stateAfter([answer('redirect', 302, { redirects: 6 })]).verdict).toBe('allow-all');
    expect(stateAfter([answer('redirect', 302, { redirects: 5 })]).verdict).toBe('deny-all');
    expect(stateAfter([answer('redirect.invalid', 302, { redirects: 1 })]).verdict).toBe('deny-all');
  });

  it('cut at our own cap is whole, cut by anything else is not', () => {
    expect(stateAfter([answer('ok', 200, { body: body('x'), truncated: 'length' })]).verdict).toBe('rules');
    for (const truncated of ['time', 'disconnect', 'unspecified'] as const) {
      expect(stateAfter([answer('ok', 200, { body: body('User-agent: *\nAllow: /'), truncated })]).verdict).toBe(
        'deny-all',
      );
    }
    expect(stateAfter([answer('ok', 206, { body: body('') })]).verdict).toBe('deny-all');
    expect(stateAfter([answer('ok', 200)]).verdict).toBe('deny-all');
  });

  it('in HTML is a file without rules', () => {
    const page = '<!doctype html><html><title>Not found</title><body><p>Sorry: nothing here.</p></body></html>';
    expect(rulesOf(stateAfter([rules(page)]), body(page), 'Saunter').allows('/x')).toBe(true);
  });

  it('of other parsers’ tests means what it means there', () => {
    const lines = readFileSync(new URL('../fixtures/robots/parse.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const cases = lines.map((line) => JSON.parse(line)).filter((c) => c.kind === 'status');
    expect(cases.length).toBeGreaterThan(15);
    const wrong = cases.filter(({ http_status: status, expected }) => {
      const code: OutcomeCode =
        status === 429 || status === 503
          ? 'http.throttled'
          : status >= 500
            ? 'http.server'
            : status >= 400
              ? 'http.client'
              : 'redirect.chain';
      const { verdict } = stateAfter([answer(code, status, { redirects: code === 'redirect.chain' ? 6 : 0 })]);
      return { allow_all: 'allow-all', allow_none: 'deny-all' }[expected as string] !== verdict;
    });
    expect(wrong).toEqual([]);
  });
});

describe('a failure', () => {
  it('of any kind disallows all, except /robots.txt itself', () => {
    for (const code of FAILURES) {
      const state = stateAfter([answer(code, code.startsWith('http.') ? 503 : 0)]);
      expect([code, state.verdict]).toEqual([code, 'deny-all']);
      const compiled = rulesOf(state, null, 'Saunter');
      expect([compiled.allows('/'), compiled.allows('/robots.txt')]).toEqual([false, true]);
    }
    expect(stateAfter([answer('http.client', 429)]).verdict).toBe('deny-all');
    expect(stateAfter([answer('unheard.of' as OutcomeCode, 200)]).verdict).toBe('deny-all');
  });

  it('is tried again after 5 min, doubling to 24 h', () => {
    const waits: number[] = [];
    let state: RobotsState | null = null;
    for (let i = 0, now = NOW; i < 12; i++) {
      state = robotsVerdict(answer('http.server', 500), state, now);
      waits.push((state.retryAt - now) / MINUTE);
      now = state.retryAt;
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440]);
    expect(state).toMatchObject({ failures: 12, failingSince: NOW });
  });

  it('waits for Retry-After where that is longer, but a day at most', () => {
    const wait = (retryAfterMs: number) => stateAfter([answer('http.throttled', 503, { retryAfterMs })]).retryAt - NOW;
    expect([wait(MINUTE), wait(HOUR), wait(9 * DAY)]).toEqual([5 * MINUTE, HOUR, DAY]);
  });

  it('leaves a good copy in force until it is 30 days old', () => {
    let state: RobotsState | null = robotsVerdict(rules(), null, NOW);
    let now = state.retryAt;
    while (now < NOW + 30 * DAY) {
      state = robotsVerdict(answer('http.server', 500), state, now);
      expect(state).toMatchObject({ verdict: 'rules', fetchedAt: NOW, copyAt: NOW, copyIsNew: false });
      expect(state.expiresAt).toBeLessThanOrEqual(NOW + 30 * DAY);
      expect(state.retryAt).toBeGreaterThan(now);
      now = state.retryAt;
    }
    state = robotsVerdict(answer('http.server', 500), state, now);
    expect(state).toMatchObject({ verdict: 'deny-all', fetchedAt: null });
  });

  it('does not make a copy of an earlier 404', () => {
    expect(stateAfter([answer('http.gone', 404), answer('http.server', 500)], DAY).verdict).toBe('deny-all');
    expect(stateAfter([rules(), answer('http.gone', 404), answer('http.server', 500)], DAY).verdict).toBe('deny-all');
  });

  it('ends with the next good answer', () => {
    const state = stateAfter([answer('read.timeout'), answer('read.timeout'), rules()], HOUR);
    expect(state).toMatchObject({ verdict: 'rules', failures: 0, failingSince: null, dropHost: false });
  });

  it('for 30 days drops a host that accepts connections, not one that is away', () => {
    const failFor = (code: OutcomeCode, days: number) => stateAfter(Array(days + 1).fill(answer(code)), DAY).dropHost;
    expect([failFor('read.first-byte', 29), failFor('read.first-byte', 30)]).toEqual([false, true]);
    expect(failFor('http.server', 31)).toBe(true);
    expect([failFor('connect.refused', 40), failFor('dns.timeout', 40), failFor('guard.address', 40)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('of our own is not counted against the host', () => {
    const state = stateAfter([answer('worker.crash')]);
    expect(state).toMatchObject({ verdict: 'deny-all', failures: 0, failingSince: null, retryAt: NOW + 5 * MINUTE });
  });
});

describe('the state', () => {
  it('says not-modified only about a copy that exists', () => {
    expect(stateAfter([rules(), answer('not-modified', 304)], DAY)).toMatchObject({
      verdict: 'rules',
      fetchedAt: NOW + DAY,
      copyIsNew: false,
    });
    expect(stateAfter([answer('not-modified', 304)]).verdict).toBe('deny-all');
  });

  it('disallows all if its copy was lost', () => {
    expect(rulesOf(stateAfter([rules()]), null, 'Saunter').allows('/y')).toBe(false);
  });

  it('survives JSON, and any history of answers keeps its promises', () => {
    const anyAnswer = fc.record({
      code: fc.constantFrom(...(Object.keys(OUTCOMES) as OutcomeCode[])),
      status: fc.constantFrom(0, 200, 204, 206, 301, 304, 403, 404, 429, 500, 503, 999),
      truncated: fc.constantFrom(null, 'length', 'time', 'disconnect'),
      redirects: fc.nat(7),
      body: fc.constantFrom(body(''), undefined),
    }) as fc.Arbitrary<RobotsAnswer>;
    fc.assert(
      fc.property(fc.array(fc.tuple(anyAnswer, fc.nat(3 * DAY)), { minLength: 1, maxLength: 40 }), (history) => {
        let state: RobotsState | null = null;
        let now = NOW;
        for (const [a, wait] of history) {
          now += wait;
          const next: RobotsState = robotsVerdict(a, state, now);
          expect(robotsVerdict(a, JSON.parse(JSON.stringify(state)), now)).toEqual(next);
          expect(next.retryAt).toBeGreaterThan(now);
          expect(next.expiresAt).toBeLessThanOrEqual(next.retryAt);
          const mayAllow =
            (a.status >= 400 && a.status < 500 && a.status !== 429) || a.redirects > 5 || a.code === 'redirect.chain';
          if (next.verdict === 'allow-all') expect(mayAllow).toBe(true);
          if (next.verdict === 'rules') expect(now - (next.fetchedAt as number)).toBeLessThan(ROBOTS_TIMES.maxCopyAge);
          state = next;
        }
      }),
    );
  });
});
