import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockDirectory } from '../../src/engines/lock.js';
import { UserError } from '../../src/errors.js';
import { type Built, build } from './built.js';

const NOW = Date.UTC(2026, 10, 30, 22, 0, 5, 700);
let built: Built;
let dir: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  built = build();
});
afterAll(() => built.remove());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'saunter-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

/** Takes the lock in another process, says how it went, and stays. */
function other(): { child: ChildProcess; said: Promise<string>; ended: Promise<void> } {
  const script = `
    const { lockDirectory } = await import(process.argv[1]);
    setInterval(() => {}, 1000);
    try {
      globalThis.lock = lockDirectory(process.argv[2], ${NOW});
      process.stdout.write('held');
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message);
    }`;
  const args = ['--input-type=module', '-e', script, built.module('engines/lock.js'), dir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const said = new Promise<string>((resolve) => child.stdout!.once('data', (text) => resolve(String(text))));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, said, ended };
}

const refusal = (): string => {
  try {
    lockDirectory(dir, NOW).release();
    return 'taken';
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as Error).message;
  }
};

describe('the lock of a directory', () => {
  test('keeps a second process out, and says who is in since when', async () => {
    const { child, said } = other();
    expect(await said).toBe('held');
    expect(refusal()).toBe(
      `directory ${dir} is in use by process ${child.pid} since 2026-11-30T22:00:05Z: wait for that crawl to end, or stop it (kill ${child.pid})`,
    );
    expect(refusal()).toContain(`process ${child.pid}`);
  });

  test.each(['crawl', 'program', 'import', 'reparse', 'operator'] as const)('of a %s says so', (holder) => {
    const lock = lockDirectory(dir, NOW, holder);
    try {
      lockDirectory(dir, NOW);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ holder, message: expect.stringContaining(`by process ${process.pid} since 2026`) });
    } finally {
      lock.release();
    }
  });

  test('is free at once when its owner is killed', async () => {
    const { child, said, ended } = other();
    expect(await said).toBe('held');
    child.kill('SIGKILL');
    await ended;
    expect(refusal()).toBe('taken');
  });

  test('keeps another crawl of the same process out, and survives its attempt', async () => {
    const lock = lockDirectory(dir, NOW);
    expect(refusal()).toContain(`in use by process ${process.pid} since`);
    const { said } = other();
    expect(await said).toContain(`UserError: directory ${dir} is in use by process ${process.pid} since`);
    lock.release();
    lock.release();
    expect(refusal()).toBe('taken');
  });

  test('is taken by exactly one of several that start together', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => other().said));
    expect(answers.filter((said) => said === 'held')).toHaveLength(1);
    const owner = children[answers.indexOf('held')].pid;
    for (const said of answers) if (said !== 'held') expect(said).toMatch(`is in use by process ${owner} since`);
  });

  test('is refused with a reason where it cannot be taken', () => {
    writeFileSync(join(dir, 'lock'), 'not a lock, and longer than one hundred bytes'.repeat(20));
    expect(refusal()).toContain(join(dir, 'lock'));
    dir = join(dir, '..');
    expect(() => lockDirectory(join(dir, 'missing-directory'), NOW)).toThrow(UserError);
    dir = mkdtempSync(join(tmpdir(), 'saunter-lock-'));
  });
});
