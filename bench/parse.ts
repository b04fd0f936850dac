/** `npm run bench -- parse`: what each stage of a page costs, over the bench's own pages, in one thread. */
import { gunzipSync } from 'node:zlib';
import { simhash } from '../src/dedupe/simhash.js';
import { detectLanguage } from '../src/parse/language.js';
import { parsePage } from '../src/parse/page.js';
import { webAddress } from '../src/sim/server-address.js';
import { createBenchWeb } from '../src/sim/web-bench.js';

const ROUNDS = 24;
/** Rounds in which the runtime still compiles. */
const WARM_UP = 8;
const CONTENT_TYPE = 'text/html; charset=utf-8';

/** CPU milliseconds a page of each stage, the least of all rounds: others on the machine only ever add. */
export async function parseBench(seed: number): Promise<{ pages: number; stages: Record<string, number> }> {
  const web = await createBenchWeb({ hosts: 20, pages: 10, seed }, { port: 8000, addressOf: webAddress });
  const bodies: { url: string; body: Buffer }[] = [];
  for (const url of web.reachable()) {
    const { hostname, pathname } = new URL(url);
    const headers = { 'accept-encoding': 'gzip' };
    const { status, body } = web.answer({ host: hostname, target: pathname, headers, sinceFirst: 1e9 });
    if (status === 200 && pathname !== '/robots.txt') bodies.push({ url, body: gunzipSync(body) });
  }
  const stages: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const stage = <T>(name: string, work: () => T): T => {
      const before = process.cpuUsage();
      const result = work();
      const { user, system } = process.cpuUsage(before);
      const cost = (user + system) / 1000 / bodies.length;
      if (round >= WARM_UP) stages[name] = Math.min(stages[name] ?? Number.POSITIVE_INFINITY, cost);
      return result;
    };
    const links = { mainText: false };
    stage('links, directives, text', () => {
      for (const page of bodies) parsePage({ ...page, contentType: CONTENT_TYPE }, links);
    });
    const parsed = stage('and main text', () =>
      bodies.map((page) => parsePage({ ...page, contentType: CONTENT_TYPE })),
    );
    const texts = parsed.map((page) => page.mainText || page.text);
    stage('fingerprint', () => texts.map(simhash));
    stage('language', () => texts.map((text) => detectLanguage(text, 'en')));
  }
  return { pages: bodies.length, stages };
}
