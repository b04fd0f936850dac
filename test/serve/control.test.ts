import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { askCrawl } from '../../src/serve/control-client.js';
import { controlSocket, socketName } from '../../src/serve/control-path.js';
import { type ControlLimits, type ControlServer, serveControl } from '../../src/serve/control-socket.js';

const folders: string[] = [];
const servers: ControlServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function scratch(long = false): string {
  const folder = mkdtempSync(join(tmpdir(), 'saunter-control-test-'));
  folders.push(folder);
  if (!long) return folder;
  const deep = join(folder, 'a-crawl-with-a-long-name'.repeat(3), 'and-more'.repeat(10));
  mkdirSync(deep, { recursive: true });
  return deep;
}

type Handle = (request: unknown) => Promise<unknown>;
const echo: Handle = async (request) => ({ got: request });

async function serve(dir: string, handle: Handle = echo, limits: Partial<ControlLimits> = {}): Promise<ControlServer> {
  const server = await serveControl(dir, handle, limits);
  servers.push(server);
  return server;
}

/** A connection that keeps what comes back, line by line, until it is closed. */
function connect(dir: string): { socket: Socket; lines: string[]; closed: Promise<void> } {
  const socket = createConnection(controlSocket(dir)!);
  const lines: string[] = [];
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const whole = text.split('\n');
    text = whole.pop()!;
    lines.push(...whole);
  });
  socket.on('error', () => {});
  return { socket, lines, closed: new Promise((resolve) => socket.on('close', () => resolve())) };
}

describe('the control socket', () => {
  it.each([false, true])('answers a line with a line, and is gone when it is closed (long path: %s)', async (long) => {
    const dir = scratch(long);
    const server = await serve(dir);
    const path = join(dir, 'control.sock');
    expect(lstatSync(path).isSymbolicLink()).toBe(long);
    expect([statSync(path).isSocket(), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
    const folder = long ? dirname(readlinkSync(path)) : null;
    if (folder !== null) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await askCrawl(dir, { verb: 'x', deep: [1] })).toEqual({ got: { verb: 'x', deep: [1] } });
    await server.close();
    expect(readdirSync(dir)).toEqual([]);
    if (folder !== null) expect(() => statSync(folder)).toThrow('ENOENT');
    expect(await askCrawl(dir, {})).toBeNull();
  });

  it('is reached from the working folder where only its whole path is too long', () => {
    expect(socketName(join(process.cwd(), 'x'.repeat(60), 'control.sock'))).toBe(join('x'.repeat(60), 'control.sock'));
    expect(socketName(join('x'.repeat(60), 'y'.repeat(60), 'control.sock'))).toBeNull();
    expect(socketName('/tmp/s')).toBe('/tmp/s');
  });

  it.each([false, true])('takes the place of what a killed crawl left (long path: %s)', async (long) => {
    const dir = scratch(long);
    // node as such never removes a socket that it did not close
    const program = `import(${JSON.stringify(new URL('../../dist/serve/control-socket.js', import.meta.url).href)})
      .then(({ serveControl }) => serveControl(${JSON.stringify(dir)}, async () => ({})))
      .then(() => process.kill(process.pid, 'SIGKILL'));`;
    expect(spawnSync(process.execPath, ['-e', program]).signal).toBe('SIGKILL');
    const path = join(dir, 'control.sock');
    const left = lstatSync(path);
    const folder = long ? dirname(readlinkSync(path)) : null;
    expect(left.isSocket() || left.isSymbolicLink()).toBe(true);
    expect(await askCrawl(dir, {})).toBeNull();
    mkdirSync(join(dir, '.control-abcdef'));
    await serve(dir);
    expect(await askCrawl(dir, { a: 1 })).toEqual({ got: { a: 1 } });
    expect(readdirSync(dir)).toEqual(['control.sock']);
    if (folder !== null) expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('does not follow a link into a folder that is not its own', async () => {
    const dir = scratch();
    const other = scratch();
    writeFileSync(join(other, 's'), 'precious');
    spawnSync('ln', ['-s', join(other, 's'), join(dir, 'control.sock')]);
    await serve(dir);
    expect(readdirSync(other)).toEqual(['s']);
    expect(await askCrawl(dir, {})).toEqual({ got: {} });
  });

  it('tells what the asker can mend, and with which exit code', async () => {
    const dir = scratch();
    await serve(dir, async (request) => {
      throw (request as { bad?: boolean }).bad ? new UserError('no such host', 2) : new Error('out of order');
    });
    await expect(askCrawl(dir, { bad: true })).rejects.toMatchObject({ message: 'no such host', exitCode: 2 });
    await expect(askCrawl(dir, {})).rejects.toMatchObject({ message: 'out of order', exitCode: 1 });
  });

  it('answers the lines of one connection in order, those of several side by side', async () => {
    const dir = scratch();
    let open: (() => void) | undefined;
    const first = new Promise<void>((resolve) => {
      open = resolve;
    });
    await serve(dir, async (request) => {
      if (request === 1) await first;
      return request;
    });
    const slow = connect(dir);
    slow.socket.write('1\n2\nnonsense\n3\n');
    expect(await askCrawl(dir, { quick: true })).toEqual({ quick: true });
    expect(slow.lines).toEqual([]);
    open!();
    await expect.poll(() => slow.lines.length).toBe(4);
    expect(slow.lines.map((line) => JSON.parse(line))).toEqual([
      { ok: true, answer: 1 },
      { ok: true, answer: 2 },
      { ok: false, error: 'a line has to be JSON', exitCode: 2 },
      { ok: true, answer: 3 },
    ]);
    slow.socket.destroy();
  });

  it('refuses lines without end, idle connections, and more connections than it may have', async () => {
    const dir = scratch();
    await serve(dir, echo, { line: 1000, idle: 150, connections: 2 });
    const long = connect(dir);
    long.socket.write('x'.repeat(5000));
    await long.closed;
    expect(long.lines.map((line) => JSON.parse(line).error)).toEqual(['a line has at most 1000 bytes']);
    const idle = [connect(dir), connect(dir)];
    await expect.poll(() => idle.every(({ socket }) => !socket.connecting)).toBe(true);
    const third = connect(dir);
    await third.closed;
    expect(third.lines).toEqual([]);
    await Promise.all(idle.map(({ closed }) => closed));
    expect(await askCrawl(dir, {})).toEqual({ got: {} });
  });

  it('lets an answer that is under way be written before it closes, for a moment', async () => {
    const dir = scratch();
    const begun: (() => void)[] = [];
    const server = await serve(dir, (request) => new Promise((resolve) => begun.push(() => resolve(request))), {
      grace: 300,
    });
    const answer = askCrawl(dir, { a: 1 });
    const never = askCrawl(dir, { b: 2 });
    await expect.poll(() => begun.length).toBe(2);
    const closed = server.close();
    begun[0]();
    expect(await answer).toEqual({ a: 1 });
    expect(await never).toBeNull();
    await closed;
  });
});

describe('the asker', () => {
  it('gives up after a time, and on what is no answer', async () => {
    const dir = scratch();
    await serve(dir, () => new Promise(() => {}), { grace: 1 });
    await expect(askCrawl(dir, {}, 50)).rejects.toThrow('did not answer within');
    expect(await askCrawl(scratch(), {})).toBeNull();
    const file = scratch();
    writeFileSync(join(file, 'control.sock'), '');
    expect(await askCrawl(file, {})).toBeNull();
  });
});
