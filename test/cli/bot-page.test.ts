import { expect, test } from 'vitest';
import { parseRobots } from '../../src/fetch/robots.js';
import { parsePage } from '../../src/parse/page.js';
import { configFile, removeScratches } from '../support/saunter.js';
import { FakeProcess } from './process.js';

const page = async (...flags: string[]): Promise<string> => {
  const { code, out, err } = await new FakeProcess().run('bot-page', ...flags);
  expect([code, err]).toEqual([0, '']);
  return out;
};
/** The texts of a page's blocks of code. */
const blocks = (html: string): string[] =>
  [...html.matchAll(/<pre><code>([^<]*)<\/code>/g)].map(([, text]) =>
    text.replace(/&#(\d+);|&lt;|&gt;/g, (sign, code) =>
      code ? String.fromCharCode(code) : sign === '&lt;' ? '<' : '>',
    ),
  );

test('what the page tells site owners to write is what the crawler obeys', async () => {
  const [agent, slow, closed, partly, meta, header] = blocks(await page('--contact', 'me@example.org'));
  expect(agent).toMatch(/^User-Agent: Saunter\/\d+\.\d+\.\d+ \(\+mailto:me@example\.org\)$/);
  const name = agent.replace('User-Agent: ', '');
  expect(parseRobots(slow, name).crawlDelayMs).toBe(30_000);
  // a group of our own takes the place of the rules for everybody: what these forbid stands in it again
  expect(parseRobots(`User-agent: *\nDisallow: /private/\n\n${slow}`, name).allows('/private/x')).toBe(false);
  const asked = (robots: string) => ['/', '/private/x'].map((path) => parseRobots(robots, name).allows(path));
  expect([asked(closed), asked(partly)]).toEqual([[false, false], [true, false]]); // biome-ignore format: short
  const input = { url: 'http://a.test/', agent: 'Saunter' };
  expect(parsePage({ ...input, body: Buffer.from(meta) }).robots).toMatchObject({ index: false, follow: false });
  const xRobotsTag = [header.replace('X-Robots-Tag: ', '')];
  expect(parsePage({ ...input, body: Buffer.from('<p>x'), xRobotsTag }).robots).toMatchObject({ index: false });
});

test('its figures are those of the crawl', async () => {
  const config = configFile({ 'crawlDelay.cap': '10m', 'robots.ttl': '90m', 'politeness.factor': 3 });
  const html = await page('--contact', 'me@example.org', '--delay', '5s', '--config', config);
  for (const words of ['5 seconds', '3 times as long', '10 minutes', '1 hour 30 minutes'])
    expect(html).toContain(words);
  removeScratches();
});

test('nothing that was given is markup, and it needs no other file', async () => {
  const evil = `<img src=x onerror="alert(1)">&'`;
  const flags = ['--contact', `https://a.test/?"><script>`, '--reach', `"'<b>@example.org`];
  const html = await page(...flags, '--name', evil, '--purpose', evil, '--address', `<i>,192.0.2.7`);
  expect(html).not.toMatch(/<(?:script|img|b|i)\b|onerror="/);
  expect(html).not.toMatch(/<[^>]*\bsrc=|url\(|@import|<link/);
  expect(html.match(/href="[^"]*"/g)).toHaveLength(2);
  expect(html).toContain('192.0.2.7');
});

test.each(['name', 'purpose', 'address'])(
  'a --%s that would steer a terminal or turn the text around is refused',
  async (flag) => {
    for (const evil of ['\x1b[2J', '\u202e', '\x9b', '\u2066', '\ud800']) {
      const { code, out, err } = await new FakeProcess().run(
        'bot-page',
        '--contact',
        'me@example.org',
        `--${flag}`,
        `a${evil}b`,
      );
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(new RegExp(`^--${flag} holds a control character \\(U\\+[0-9A-F]{4}\\)`));
      expect(err).not.toContain(evil);
    }
    const persian = 'می\u200cخواهم';
    expect(await page('--contact', 'me@example.org', `--${flag}`, persian)).toContain(persian);
  },
);

test.each([
  [[], 'Give --contact'],
  [['--contact', 'https://example.org/bot.html'], 'give a mail address with --reach'],
  [['--contact', 'me@example.org', '--reach', 'javascript:x'], '--reach cannot be "javascript:x"'],
])('without somebody to write to there is no page: %j', async (flags, sentence) => {
  const { code, out, err } = await new FakeProcess().run('bot-page', ...flags);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(sentence);
});
