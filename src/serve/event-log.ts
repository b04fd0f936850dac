/**
 * The log of a crawl that runs: a line of JSON for each outcome, after its commit. The crawl never waits for the disk of
 * its log and never holds more of it than {@link MOST_WAITING}: lines beyond that are dropped, counted, and told of.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import pino from 'pino';
import type { OpenedCrawl } from '../embedded/open.js';
import { UserError } from '../errors.js';
import { writeFault } from '../file-fault.js';
import { version } from '../version.js';
import { type LogLevel, logEvents } from './log-events.js';

/** Bytes that wait for the disk. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Bytes that are written at once, and ms after which fewer are. */
const BLOCK = 8 * 1024;
const FLUSH_MS = 1_000;

/** ms that what is left has to be written in, when the crawl ends. */
const LAST_MS = 5_000;

const STANDARD_ERROR = 2;

export interface EventLog {
  /** Writes what is left. */
  close(): Promise<void>;
}

/**
 * Begins to log.
 * @param place a path, or `-` for standard error
 * @param say tells the user once that the log cannot be written any more: the crawl goes on
 * @throws UserError (usage) for a file that cannot be written
 */
export function logTo(
  place: string,
  level: LogLevel,
  opened: OpenedCrawl,
  say: (sentence: string) => void,
  signals: Pick<NodeJS.Process, 'on' | 'off'> = process,
): EventLog {
  const dest = place === '-' ? STANDARD_ERROR : destinationOf(place);
  let isOver = false;
  const sink = pino.destination({
    ...{ dest, sync: false, minLength: BLOCK, periodicFlush: FLUSH_MS, maxLength: MOST_WAITING, mode: 0o640 },
    retryEAGAIN: () => !isOver,
  });
  const logger = pino(
    { base: null, level, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    sink,
  );
  let dropped = 0;
  let isBroken = false;
  let isReopening = false;
  const drop = (lines: number): void => {
    dropped += lines;
    opened.told.linesLost += lines;
  };
  sink.on('drop', () => drop(1));
  sink.on('ready', () => {
    isReopening = false;
  });
  sink.on('error', (error: NodeJS.ErrnoException) => {
    // a last write to the file that is left: what it had goes to the next, which is opened when that write is over
    if (isReopening && error.syscall !== 'open') return sink.reopen();
    isReopening = false;
    if (isBroken) return;
    isBroken = true;
    if (isOver) say(`The last lines of the log ${place} are lost: nobody reads from it any more.`);
    else say(`The log ${place} cannot be written any more, and the crawl goes on without it: ${error.message}`);
  });
  const write = (event: { level: LogLevel; [field: string]: unknown }): void => {
    const { level: at, ...fields } = event;
    if (!isBroken) logger[at](fields);
  };
  const { crawl } = opened;
  write({ level: 'info', time: crawl.now(), event: 'begin', version: version(), pid: process.pid });
  opened.heard.push((changes) => {
    const events = logEvents(opened, changes, level);
    if (isBroken) return drop([...events].length);
    for (const event of events) write(event);
    if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      write({ level: 'warn', time: crawl.now(), event: 'lost', lines: count });
    }
  });
  const reopen = (): void => {
    if (typeof dest === 'number') return; // a pipe
    isBroken = false; // whoever makes room, or another file, may say so in this way
    isReopening = true;
    sink.reopen();
  };
  if (place !== '-') signals.on('SIGHUP', reopen);
  return {
    close: async () => {
      signals.off('SIGHUP', reopen);
      const { pages, requests } = opened.tally;
      write({ level: 'info', time: crawl.now(), event: 'end', pages, requests });
      // with lines left, pino would try to write them for as long as the process lives, and keep it alive
      if (isBroken) return sink.destroy();
      await new Promise<void>((resolve) => {
        sink.once('close', resolve).once('error', () => {
          sink.destroy();
          resolve();
        });
        setTimeout(() => {
          isOver = true; // a pipe that nobody reads any more: the next try is the last
          resolve();
        }, LAST_MS).unref();
        sink.end();
      });
    },
  };
}

/** A path that can be written; of a pipe a descriptor, since to write to one that is full would hold a thread, and the
 * end of the process, for as long as its reader stands still.
 * @throws UserError (usage) */
function destinationOf(path: string): string | number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants;
  try {
    // without O_NONBLOCK a pipe is opened when somebody reads it, which may be never
    const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640);
    if (fstatSync(fd).isFIFO()) return fd;
    closeSync(fd);
    return path;
  } catch (error) {
    const isPipe = (error as NodeJS.ErrnoException).code === 'ENXIO';
    const words = isPipe
      ? 'it is a pipe, and nobody reads from it yet: start its reader first'
      : writeFault(error, path);
    throw new UserError(`The log ${path} cannot be written: ${words}.`, 2, { cause: error });
  }
}
