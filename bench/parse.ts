/** `npm run bench -- parse`: what each stage of a page costs, over the bench's own pages, in one thread. */
import { gunzipSync } from 'node:zlib';
import { simhash } from '../src/dedupe/simhash.js';
import { detectLanguage } from '../src/parse/language.js';
import { type PageOptions, parsePage } from '../src/parse/page.js';
import { webAddress } from '../src/sim/server-address.js';
import { createBenchWeb } from '../src/sim/web-bench.js';

const ROUNDS = 24;
/** Rounds in which the runtime still compiles. */
const WARM_UP = 8;
const CONTENT_TYPE = 'text/html; charset=utf-8';

type Stages = Record<string, number>;
type Body = { url: string; body: Buffer; contentType: string };

/** CPU milliseconds a page of each stage, the least of all rounds: others on the machine only ever add. */
export async function parseBench(seed: number): Promise<{ pages: number; stages: Stages }> {
  const bodies = await pagesOf(seed);
  const stages = rounds(bodies.length, (stage) => {
    stage('links, directives, text', () => {
      for (const page of bodies) parsePage(page, { mainText: false });
    });
    const parsed = stage('and main text', () => bodies.map((page) => parsePage(page)));
    const texts = parsed.map((page) => page.mainText || page.text);
    stage('fingerprint', () => texts.map(simhash));
    stage('language', () => texts.map((text) => detectLanguage(text, 'en')));
  });
  return { pages: bodies.length, stages };
}

/** `npm run bench -- text`: the same for what is made of the text alone, over the parser without it. */
export async function textBench(seed: number): Promise<{ pages: number; stages: Stages }> {
  const bodies = await pagesOf(seed);
  const all = rounds(bodies.length, (stage) => {
    const parse = (options: PageOptions) => () => bodies.map((page) => parsePage(page, options));
    stage('none', parse({ mainText: false }));
    stage('main text', parse({}));
    stage('main text and Markdown', parse({ markdown: true }));
    const texts = stage('metadata', parse({ mainText: false, metadata: true })).map((page) => page.text);
    stage('fingerprint of the whole text', () => texts.map(simhash));
    stage('language of the whole text', () => texts.map((text) => detectLanguage(text, 'en')));
  });
  const { none = 0, ...stages } = all;
  for (const name of ['main text', 'main text and Markdown', 'metadata'])
    stages[name] = Math.max(0, stages[name]! - none);
  return { pages: bodies.length, stages };
}

async function pagesOf(seed: number): Promise<Body[]> {
  const web = await createBenchWeb({ hosts: 20, pages: 10, seed }, { port: 8000, addressOf: webAddress });
  const bodies: Body[] = [];
  for (const url of web.reachable()) {
    const { hostname, pathname } = new URL(url);
    const headers = { 'accept-encoding': 'gzip' };
    const { status, body } = web.answer({ host: hostname, target: pathname, headers, sinceFirst: 1e9 });
    if (status === 200) bodies.push({ url, body: gunzipSync(body), contentType: CONTENT_TYPE });
  }
  return bodies;
}

function rounds(pages: number, run: (stage: <T>(name: string, work: () => T) => T) => void): Stages {
  const stages: Stages = {};
  for (let round = 0; round < ROUNDS; round++) {
    run((name, work) => {
      const before = process.cpuUsage();
      const result = work();
      const { user, system } = process.cpuUsage(before);
      const cost = (user + system) / 1000 / pages;
      if (round >= WARM_UP) stages[name] = Math.min(stages[name] ?? Number.POSITIVE_INFINITY, cost);
      return result;
    });
  }
  return stages;
}
