import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { spec as configSpec } from '../../src/cli/config.js';
import { spec as crawlSpec } from '../../src/cli/crawl.js';
import { helpOf } from '../../src/cli/help.js';
import { type Config, OPTION_NAMES, type OptionName, optionOf } from '../../src/config/config.js';
import { readConfigFile } from '../../src/config/file.js';
import { loadConfig } from '../../src/config/load-config.js';
import * as parts from '../../src/embedded/parts.js';
import { bloomSettings } from '../../src/embedded/seen-filter.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text = ''): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const cdn = file('cdn.txt', '198.51.100.0/24\n');
const handler = file('handler.mjs');

/** A value for each option that is not its default. */
const GIVEN: Partial<Record<OptionName, unknown>> = {
  ...{ scope: 'host', include: ['http://a.test/*'], exclude: ['*/x/*'], blocklist: ['hosts'], depth: 3 },
  ...{
    rules: [{ reject: { regexp: ['/print/'] } }],
    sitemap: ['http://a.test/s.xml'],
    maxPages: 5,
    maxDuration: '2h',
    patience: '7s',
    budget: 50,
    seedBudget: 70,
  },
  ...{ budgetPeriod: '7d', 'domain.hosts': 9, contact: 'mailto:me@example.org', delay: '2s' },
  ...{ 'politeness.key': 'ip', 'politeness.factor': 3, 'politeness.factorCap': '5s', 'politeness.cdn': cdn },
  ...{ 'politeness.perDomain': 2, 'politeness.sharedFrom': 5, 'politeness.sharedRequests': 1 },
  ...{ 'politeness.sharedGap': '300ms', 'crawlDelay.cap': '2m', 'retryAfter.cap': '2h', 'host.penaltyCap': '2h' },
  ...{ 'host.throttledAfter': 3, 'host.throttledSleeps': ['2h', '4h'], 'retry.ladder': ['9s'] },
  ...{ 'host.offlineAfter': 2, 'host.nxdomainAfter': 1, 'host.offline': ['3h'], 'unclean.owe': '20s' },
  ...{ 'robots.bytes': '1MiB', 'robots.ttl': '2h', 'robots.retry': '1m', 'robots.retryCap': '2h' },
  ...{
    'robots.stale': '9d',
    'robots.giveUp': '40d',
    'robots.memory': '2MiB',
    'timeout.dns': '1s',
    'timeout.connect': '2s',
  },
  ...{ 'timeout.tls': '3s', 'timeout.firstByte': '4s', 'timeout.whole': '50s', 'timeout.slow': '6s' },
  ...{ 'timeout.slowRate': '2KiB', 'http.headers': '32KiB', 'body.text.wire': '1MiB', 'body.text.decoded': '2MiB' },
  ...{ 'body.sitemap.wire': '3MiB', 'body.sitemap.decoded': '4MiB', 'body.pdf': '5MiB', 'decode.ratio': 90 },
  ...{ 'decode.ratioFrom': '2MiB', 'tls.invalid': 'record', 'redirect.chain': 4, 'redirect.same': 2 },
  ...{ allowPrivate: ['10.0.0.0/8'], resolve: ['*.test=127.0.0.1'], dns: ['9.9.9.9'], 'resolver.ttlMin': '1m' },
  ...{ 'resolver.ttlMax': '2h', 'resolver.negative': '1m', admin: 9000, adminAddress: '127.0.0.2', workers: 1 },
  ...{ concurrency: 9, 'worker.heartbeat': '1s', 'worker.deadAfter': '20s', 'worker.affinity': '2s' },
  ...{ 'parse.turn': '9ms', 'memory.bodies': '32MiB', 'memory.limit': '2GiB', 'memory.refuseLevel4': '70%' },
  ...{ 'memory.refuseLevel3': '95%', handlers: [`x/y=${handler}`], 'document.time': '9s' },
  ...{ 'document.memory': '256MiB', 'pdf.pages': 9, 'frontier.backQueues': 64, 'frontier.backQueuesMax': 4096 },
  ...{ 'frontier.quantum.fetches': 8, 'frontier.quantum.time': '2m', 'frontier.sleep': '9s' },
  ...{ 'frontier.lookahead': 8, score: handler, 'frontier.revisitShare': '25%', 'url.tracking': ['utm_*'] },
  ...{ 'url.session': ['sid'], 'url.pathSession': ['x'], 'url.sessionLength': 20, 'trap.urlLength': 500 },
  ...{ 'trap.repeat': 2, 'trap.queries': 50, 'trap.sketch': '1MiB', 'trap.duplicateRatio': '90%' },
  ...{ 'trap.duplicateWindow': 100, 'segment.bytes': '1MiB', 'batch.time': '100ms', 'batch.changes': 100 },
  ...{ 'checkpoint.rows': 1000, 'seen.filter': 'bloom', 'seen.bloomKeys': 5000, 'seen.bloomBits': 10 },
  ...{ 'seen.bloomRate': 0.02, 'seen.bloomEpoch': '9d', 'simhash.distance': 2, 'simhash.shingles': 10 },
  ...{ 'dedupe.exact': 'follow', 'dedupe.near': 'drop', 'revisit.policy': 'uniform', 'revisit.first': '2h' },
  ...{ 'log.file': '-', 'log.level': 'warn', 'trace.endpoint': 'http://127.0.0.1:4318/', 'trace.share': '5%' },
  ...{ 'revisit.min': '2h', 'revisit.max': '9d', 'revisit.every': '5d', 'revisit.perDay': 77 },
};

/** All settings that parts of a crawl are made with, as one text. */
function settings(values: unknown): string {
  const config = loadConfig(values);
  const options = { config, userAgent: 'x', seeds: [], dir: '', add: false, signal: AbortSignal.abort() };
  const { isCdn, ...frontier } = parts.frontierOptions(config);
  const budgetOf = parts.budgets(options);
  return JSON.stringify([
    ...[frontier, isCdn('198.51.100.7'), parts.pageSettings(config), parts.batchTimes(config)],
    ...[parts.repeatRules(config), nearAt(config), parts.poolLimits(config), bloomSettings(config)],
    ...[parts.resolverOptions(config), parts.robotsLimits(config), parts.fetchSettings(options)],
    ...[budgetOf('seed', true), budgetOf('other', false)],
  ]);
}

/** Is a page found again whose fingerprint differs by 3 bits? */
function nearAt(config: Config): boolean {
  const { near } = parts.keptPages(config, 0);
  near.keep(0, 0, 1);
  return near.find(0, 7, 2) >= 0;
}

/** Read where no function makes settings of them: what they do is asked of the whole program, by these tests. */
const ELSEWHERE = ['e2e', 'zoo', 'kill', 'library', 'serve', 'security.test.ts', 'admit', 'state', 'workers', 'cli', 'frontier', 'dedupe', 'parse', 'browser', 'fetch']; // biome-ignore format: one line

function testTexts(): string {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const wanted = names.filter((name) => /\.ts$/.test(name) && ELSEWHERE.includes(name.split('/', 1)[0]));
  return wanted.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
}

describe('every option', () => {
  it('has a value in the table of this test', () => {
    expect(OPTION_NAMES.filter((name) => GIVEN[name] === undefined)).toEqual([]);
  });

  it.each(['yaml', 'json'])('can be set by a %s file, and is written as it is read', async (ending) => {
    const lines = OPTION_NAMES.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(GIVEN[name])}`);
    const text = ending === 'json' ? `{\n${lines.join(',\n')}\n}` : `# all\n${lines.join('\n')}\n`;
    const read = await readConfigFile(file(`all.${ending}`, text));
    const config = loadConfig(read.values, {}, read);
    for (const [i, name] of OPTION_NAMES.entries()) {
      const option = optionOf(name);
      expect(config[name], name).not.toEqual(option.initial);
      expect(option.read(option.write(config[name])), name).toEqual(config[name]);
      expect(read.lineOf(name), name).toBe(i + 2);
    }
  });

  it('reaches the part that obeys it, or a test of the whole program names it', () => {
    const before = settings({});
    const texts = testTexts();
    const named = (name: OptionName): boolean => {
      const leaf = name.split('.').at(-1)!;
      const { flag } = optionOf(name);
      const words = [
        `'${name}'`,
        `"${name}"`,
        ...(name === leaf ? [` ${name}:`] : []),
        ...(flag ? [`'--${flag}'`] : []),
      ];
      return words.some((word) => texts.includes(word));
    };
    const reached = OPTION_NAMES.filter((name) => settings({ [name]: GIVEN[name] }) !== before);
    expect(reached.length).toBeGreaterThan(60);
    expect(OPTION_NAMES.filter((name) => !reached.includes(name) && !named(name))).toEqual([]);
  });

  it('stands in the help of saunter config with its sentence, in that of crawl with its name, and in the reference', () => {
    const flat = (text: string): string => text.replace(/\s+/g, ' ');
    const config = flat(helpOf(configSpec, (text) => text, 100));
    const crawl = flat(helpOf(crawlSpec, (text) => text, 100));
    const reference = readFileSync(fileURLToPath(new URL('../../docs/configuration.md', import.meta.url)), 'utf8');
    for (const name of OPTION_NAMES) {
      const { flag, says } = optionOf(name);
      expect(config, name).toContain(flat(`${flag === undefined ? name : `--${flag}`} `));
      expect(config, name).toContain(flat(says));
      expect(crawl, name).toMatch(
        flag === undefined ? new RegExp(`[ ,]${name.replaceAll('.', '\\.')}\\b`) : `--${flag} `,
      );
      expect(reference).toContain(`| \`${name}\``);
    }
  });
});
