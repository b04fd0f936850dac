/** Asks a running crawl through its control socket. */
import { createConnection } from 'node:net';
import { UserError } from '../errors.js';
import { controlSocket } from './control-path.js';
import type { ControlReply } from './control-socket.js';

/** Bytes of the longest answer. */
const LONGEST_ANSWER = 1024 * 1024;
/** The crawl answers after its next commit, which may have to wait for a slow disk, or look at every URL first. */
const PATIENCE_MS = 120_000;
/** What it means that nobody listens: no socket, or one that a killed crawl left. */
const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR', 'ECONNRESET', 'EPIPE']);

/**
 * Sends one request and waits for its answer.
 * @returns the answer, or null if no crawl listens in `dir` (or it ended before it answered)
 * @throws UserError what the crawl says is wrong; or it belongs to another user, or does not answer in time
 */
export async function askCrawl(dir: string, request: object, patience = PATIENCE_MS): Promise<unknown> {
  const name = controlSocket(dir);
  const line = name === null ? null : await exchange(name, dir, `${JSON.stringify(request)}\n`, patience);
  if (line === null) return null;
  const reply = parse(line, dir);
  if (reply.ok) return reply.answer ?? {};
  throw new UserError(reply.error, reply.exitCode === 2 ? 2 : 1);
}

/** The line that comes back; null if there is none. */
function exchange(name: string, dir: string, request: string, patience: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(name);
    const over = (act: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      act();
    };
    const timer = setTimeout(() => {
      const seconds = Math.round(patience / 1000);
      over(() => reject(new UserError(`The crawl in ${dir} did not answer within ${seconds} s.`)));
    }, patience);
    let received = Buffer.alloc(0);
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(0x0a);
      if (end >= 0) over(() => resolve(received.toString('utf8', 0, end)));
      else if (received.length > LONGEST_ANSWER) over(() => reject(strange(dir)));
    });
    socket.on('close', () => over(() => resolve(null)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      over(() => (nobody(error) ? resolve(null) : reject(told(error, dir)))),
    );
  });
}

const nobody = ({ code }: NodeJS.ErrnoException): boolean => NOBODY.has(code ?? '');

function told(error: NodeJS.ErrnoException, dir: string): UserError {
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new UserError(`The crawl in ${dir} belongs to another user: only that user can change it.`);
  }
  return new UserError(`The crawl in ${dir} cannot be reached: ${error.message}.`, 1, { cause: error });
}

function parse(line: string, dir: string): ControlReply {
  try {
    const reply = JSON.parse(line) as ControlReply;
    if (typeof reply === 'object' && reply !== null && typeof reply.ok === 'boolean') return reply;
  } catch {
    // told below
  }
  throw strange(dir);
}

const strange = (dir: string): UserError =>
  new UserError(`What listens in ${dir} does not answer as a crawl does: is it another version?`);
