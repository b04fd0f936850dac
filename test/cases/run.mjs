// npm run cases -- SUITE|all [DIR] [--show N]
//
// Asks the built `saunter inspect` about every case of a suite, writes the answers in the format of score.py, scores
// them and prints what is not right. DIR holds outside cases, SUITE.jsonl and perhaps score.py; default is the folder
// that SAUNTER_CASES names, and without that the cases which the project keeps (test/fixtures). Exit code 0 if all that
// is required is right.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { accepted } from './accepted.mjs';
import { afterwards } from './afterwards.mjs';
import { explainMiss } from './explain-misses.mjs';
import { keptCases, keptFolder } from './kept.mjs';
import { SUITES } from './suites.mjs';

/** @typedef {import('./suites.mjs').Case} Case */
/** @typedef {import('./suites.mjs').Question} Question */

const PROGRAM = fileURLToPath(new URL('../../bin/saunter.js', import.meta.url));
const OUT = fileURLToPath(new URL('../../node_modules/.cache/saunter-cases', import.meta.url));

/** Cases that are served are served on this machine. @type {Readonly<Record<string, readonly string[]>>} */
const FLAGS = { fetch: ['--allow-private', '127.0.0.0/8'] };

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'string', default: '10' } },
});
const [wanted, folder = process.env.SAUNTER_CASES] = positionals;
const dir = folder === undefined ? null : resolve(process.env.INIT_CWD ?? '.', folder);
if (wanted === undefined || (wanted !== 'all' && !Object.hasOwn(SUITES, wanted))) {
  console.error(`npm run cases -- SUITE|all [DIR] [--show N]\nSuites: ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}
let isAllRight = true;
for (const name of wanted === 'all' ? Object.keys(SUITES) : [wanted]) {
  const cases = dir === null ? keptCases(name) : casesIn(join(dir, `${name}.jsonl`));
  if (cases !== null) isAllRight = (await runSuite(name, cases)) && isAllRight;
  else if (wanted !== 'all') throw new Error(`${name}: no cases in ${dir ?? keptFolder}; give their folder as DIR`);
}
process.exit(isAllRight ? 0 : 1);

/** @param {string} file @returns {Case[] | null} */
function casesIn(file) {
  return existsSync(file) ? lines(readFileSync(file, 'utf8')) : null;
}

/** @param {string} text @returns {any[]} */
function lines(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * @param {string} name
 * @param {Case[]} cases
 * @returns {Promise<boolean>} all that is required is right
 */
async function runSuite(name, cases) {
  const suite = SUITES[name];
  const start = performance.now();
  const served = await suite.serve?.(cases, dir);
  const questions = cases.map((c) => suite.ask(c, served?.port ?? 0));
  const answers = await askAll(questions.flat());
  served?.close();
  let at = 0;
  const told = cases.map((c, i) => {
    const own = answers.slice(at, at + questions[i].length);
    at += own.length;
    if (suite.answer !== undefined) return { c, answer: suite.answer(c) };
    return { c, answer: own.length === 0 ? undefined : tell(suite, c, own) };
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`\n${name}: ${cases.length} cases, ${answers.length} questions in ${seconds} s`);
  const file = join(OUT, `${name}.jsonl`);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(
    file,
    told
      .filter(({ answer }) => answer !== undefined)
      .map(({ c, answer }) => `${JSON.stringify({ id: c.id, answer })}\n`)
      .join(''),
  );
  const isScored = dir !== null && score(name, dir, file);
  const misses = told.filter(({ c, answer }) => answer === undefined || !suite.isRight(c, answer));
  if (!isScored) printScore(suite, told, new Set(misses));
  const isExplained = printReasons(name, misses);
  const faults = misses.filter(({ c }) => (suite.isRequired?.(c) ?? true) && !isExplained.has(c));
  if (faults.length > 0) {
    console.log(`${faults.length} misses that nothing explains: ${faults.slice(0, 20).map(({ c }) => c.id)}`);
  }
  return (await afterwards(name, told)) && faults.length === 0;
}

/**
 * Counts the reasons of misses that have one.
 * @param {string} name
 * @param {readonly { c: Case }[]} misses
 * @returns {Set<Case>} those that have
 */
function printReasons(name, misses) {
  const ids = accepted(name);
  const explained = new Set();
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { c } of misses) {
    const reason = ids.has(c.id) ? 'its row in docs/' : explainMiss(name, c);
    if (reason === null) continue;
    explained.add(c);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of counts) console.log(`${String(count).padStart(5)} misses, explained: ${reason}`);
  return explained;
}

/** @param {import('./suites.mjs').Suite} suite @param {Case} c @param {Record<string, any>[]} answers */
function tell(suite, c, answers) {
  if (answers.some((answer) => answer === undefined)) return undefined;
  return answers[0].error !== undefined && !('status' in answers[0]) ? undefined : suite.tell(c, answers);
}

/**
 * The answers to questions, in their order; one process for each kind.
 * @param {Question[]} questions
 */
async function askAll(questions) {
  /** @type {Record<string, any>[]} */
  const answers = new Array(questions.length);
  const kinds = new Set(questions.map(({ kind }) => kind));
  for (const kind of kinds) {
    const child = spawn(process.execPath, [PROGRAM, 'inspect', kind, ...(FLAGS[kind] ?? [])], {
      cwd: dir ?? keptFolder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    void feed(child.stdin, questions, kind);
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, ...answer } = JSON.parse(line);
      answers[id] = answer;
    }
  }
  return answers;
}

/** @param {import('node:stream').Writable} to @param {Question[]} questions @param {string} kind */
async function feed(to, questions, kind) {
  for (const [id, question] of questions.entries()) {
    if (question.kind !== kind) continue;
    if (!to.write(`${JSON.stringify({ id, ...question.input })}\n`)) await new Promise((go) => to.once('drain', go));
  }
  to.end();
}

/**
 * Lets the scorer beside the cases score, if it is there.
 * @param {string} name
 * @param {string} folder
 * @param {string} file
 */
function score(name, folder, file) {
  const scorer = join(folder, 'score.py');
  if (!existsSync(scorer)) return false;
  const { error, status } = spawnSync('python3', [scorer, name, file, '--show', flags.show], { stdio: 'inherit' });
  return error === undefined && status === 0;
}

/**
 * @param {import('./suites.mjs').Suite} suite
 * @param {{ c: Case, answer: unknown }[]} told
 * @param {Set<{ c: Case, answer: unknown }>} misses
 */
function printScore(suite, told, misses) {
  /** @type {Map<string, { right: number, all: number }>} */
  const groups = new Map();
  for (const one of told) {
    const name = suite.group(one.c);
    const group = groups.get(name) ?? { right: 0, all: 0 };
    groups.set(name, group);
    group.all++;
    if (!misses.has(one)) group.right++;
  }
  for (const [name, { right, all }] of groups) console.log(`${name.slice(0, 60).padEnd(60)} ${right} / ${all}`);
  for (const { c, answer } of [...misses].slice(0, Number(flags.show))) {
    console.log(`  miss ${JSON.stringify(c).slice(0, 300)} GOT ${JSON.stringify(answer)?.slice(0, 150)}`);
  }
}
