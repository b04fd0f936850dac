/**
 * One kept-alive connection of the synthetic server: reads heads, answers them one after the other, stamps the times.
 */
import type { Socket } from 'node:net';
import { HeadTooLarge, parseHead, RequestBuffer, type RequestHead } from './server-http.js';
import { type LoggedRequest, monotonicNow } from './server-log.js';
import type { WebAnswer } from './web.js';

/** What a connection asks of its server. */
export interface ConnectionOwner {
  /** Logs a request and finds its answer. */
  begin(head: RequestHead, address: string, arrived: number): { request: LoggedRequest; answer: WebAnswer };
  /** The request has ended: `ended` is set. */
  end(request: LoggedRequest): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #address: string;
  readonly #buffer = new RequestBuffer();
  #firstByte = 0;
  #current: LoggedRequest | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#address = socket.localAddress ?? '';
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(this.#timer);
      if (this.#current !== null) this.#finish(this.#current, monotonicNow());
    });
  }

  #read(chunk: Buffer): void {
    if (this.#buffer.empty) this.#firstByte = monotonicNow();
    try {
      this.#buffer.push(chunk);
    } catch (error) {
      if (!(error instanceof HeadTooLarge)) throw error;
      this.#socket.destroy();
      return;
    }
    this.#serveNext();
  }

  #serveNext(): void {
    if (this.#current !== null || this.#socket.destroyed) return;
    const bytes = this.#buffer.takeHead();
    if (bytes === null) return;
    const head = parseHead(bytes);
    if (head === null) {
      this.#socket.destroy();
      return;
    }
    const { request, answer } = this.#owner.begin(head, this.#address, this.#firstByte);
    this.#current = request;
    if (answer.delay > 0) this.#timer = setTimeout(() => this.#reply(request, answer, head), answer.delay);
    else this.#reply(request, answer, head);
  }

  #reply(request: LoggedRequest, answer: WebAnswer, head: RequestHead): void {
    const socket = this.#socket;
    const body = head.method === 'HEAD' || answer.status === 304 ? null : answer.body;
    request.status = answer.status;
    request.bytes = body?.length ?? 0;
    // Stamped before the write: after it the client may already be reading, and a server that then loses the
    // processor would stamp too late and see a gap that is too short where none is.
    const before = monotonicNow();
    let handedOver = false;
    const written = () => {
      if (this.#current !== request) return;
      this.#finish(request, handedOver ? before : monotonicNow());
      if (head.close) socket.end();
      else this.#serveNext();
    };
    socket.cork();
    if (body === null) {
      socket.write(answerHead(answer, head.close), 'latin1', written);
    } else {
      socket.write(answerHead(answer, head.close), 'latin1');
      socket.write(body, written);
    }
    socket.uncork();
    handedOver = socket.writableLength === 0;
  }

  #finish(request: LoggedRequest, ended: number): void {
    request.ended = ended;
    this.#current = null;
    this.#owner.end(request);
  }
}

function answerHead(answer: WebAnswer, close: boolean): string {
  let head = `HTTP/1.1 ${answer.status} ${REASONS[answer.status] ?? 'Status'}\r\n`;
  for (const name in answer.headers) head += `${name}: ${answer.headers[name]}\r\n`;
  if (answer.status !== 304) head += `Content-Length: ${answer.body.length}\r\n`;
  return head + (close ? 'Connection: close\r\n\r\n' : '\r\n');
}

const REASONS: Record<number, string> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  404: 'Not Found',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};
