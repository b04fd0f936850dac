/** Answers the commands of `server-control.ts` inside the server's process. */
import type { Readable, Writable } from 'node:stream';
import type { SyntheticServer } from './server.js';
import { type ControlCommands, type ControlName, type ControlRequest, lineReader } from './server-control.js';
import { type LoggedRequest, summarizeLog } from './server-log.js';
import type { AnswerKind } from './web.js';

type Handler<Name extends ControlName> = (
  args: ControlCommands[Name]['args'],
) => ControlCommands[Name]['result'] | Promise<ControlCommands[Name]['result']>;

export class ServerControl {
  readonly #pages = new Set<string>();
  #pageWaiters: { pages: number; resolve: (pages: number) => void }[] = [];
  #arrivalWaiters: { kind: AnswerKind; resolve: (request: LoggedRequest) => void }[] = [];

  /** To be told of every request that arrives. */
  arrived(request: LoggedRequest): void {
    const due = this.#arrivalWaiters.filter((waiter) => waiter.kind === request.kind);
    if (due.length === 0) return;
    this.#arrivalWaiters = this.#arrivalWaiters.filter((waiter) => waiter.kind !== request.kind);
    for (const waiter of due) waiter.resolve(request);
  }

  /** To be told of every request that ends. */
  ended(request: LoggedRequest): void {
    if (request.kind !== 'page' || request.status !== 200) return;
    this.#pages.add(request.host + request.target);
    const due = this.#pageWaiters.filter((waiter) => waiter.pages <= this.#pages.size);
    if (due.length === 0) return;
    this.#pageWaiters = this.#pageWaiters.filter((waiter) => waiter.pages > this.#pages.size);
    for (const waiter of due) waiter.resolve(this.#pages.size);
  }

  /** Reads commands from `input` and answers them on `output` until `input` ends. */
  serve(server: SyntheticServer, input: Readable, output: Writable, onEnd: () => void): void {
    const handlers: { [Name in ControlName]: Handler<Name> } = {
      summary: () => summarizeLog(server.log),
      log: () => server.log,
      reachable: () => server.web.reachable(),
      pages: ({ pages }) =>
        pages <= this.#pages.size
          ? this.#pages.size
          : new Promise((resolve) => this.#pageWaiters.push({ pages, resolve })),
      next: ({ kind }) => new Promise((resolve) => this.#arrivalWaiters.push({ kind, resolve })),
      usage: () => {
        const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
        return { user: userCPUTime / 1000, system: systemCPUTime / 1000, rss: maxRSS / 1024 };
      },
    };
    const onLine = async (line: string) => {
      const { id, command, args } = JSON.parse(line) as ControlRequest;
      const handler = handlers[command] as Handler<ControlName>;
      const result = await handler(args as never);
      output.write(`${JSON.stringify({ id, result })}\n`);
    };
    const read = lineReader((line) => void onLine(line));
    input.setEncoding('utf8');
    input.on('data', read);
    input.on('end', onEnd);
  }
}
