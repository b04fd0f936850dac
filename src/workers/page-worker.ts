/**
 * A page worker: a thread that fetches, archives and parses for its leases. A body never leaves it. Fetching runs on
 * the event loop; parsing is a queue behind it that yields after 8 ms, so that it never starves the sockets (DESIGN 3).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ArchiveError } from '../archive/archive-files.js';
import { SegmentWriter } from '../archive/segments.js';
import { bodyBuffers } from '../buffer-pool.js';
import type { Clock } from '../engines/ports.js';
import { createGuard } from '../fetch/address-guard.js';
import { createFetcher, type Fetcher } from '../fetch/fetcher.js';
import { HttpClient } from '../fetch/http.js';
import type { HeldAnswer, HeldQuestion, LeaseReport, NearAnswer, NearQuestion } from '../frontier/report.js';
import { HeavyTypes } from '../parse/stage.js';
import { contentJudge } from '../url/late-rules.js';
import { createNormalizer } from '../url/normalize.js';
import { BodyBudget } from './body-budget.js';
import { DocumentReader } from './document-reader.js';
import { LinkScreen } from './link-screen.js';
import { type FromWorker, SharedState, type ToWorker, Turn, type WorkerSettings, type WorkOrder } from './messages.js';
import {
  begin,
  finish,
  isHeavy,
  type Job,
  type JobParts,
  nearQuestion,
  question,
  type ReadJob,
  read,
  remainsOf,
} from './page-job.js';

/** Reports are sent together; the first waits this long at most, ms. */
const LINGER = 10;
/** To archive and read a body takes several times its size: those over this many bytes have their turn one at a time, in
 * the whole process; a worker looks that often whether it has come, ms. */
const LARGE = 2 * 1024 * 1024;
const LARGE_WAIT = 5;
const NOTHING = Buffer.alloc(0);

/** A page that was archived and read, and the answer to its question: -1 for none, null while it is awaited. */
interface Archived {
  readonly read: ReadJob;
  near: number | null;
}

export class PageWorker {
  readonly #settings: WorkerSettings;
  readonly #post: (message: FromWorker) => void;
  readonly #shared: SharedState;
  readonly #budget: BodyBudget;
  readonly #client: HttpClient;
  readonly #fetcher: Fetcher;
  readonly #parts: JobParts;
  readonly #readPage: typeof read;
  readonly #heavy: HeavyTypes;
  readonly #documents: DocumentReader;
  /** Fetched, and waiting for an answer from the main thread. */
  readonly #asked = new Map<number, Job>();
  /** Those of {@link #inOrder} that wait for an answer whether their text is held. */
  readonly #compared = new Map<number, Archived>();
  /** Ready to be archived and parsed. */
  readonly #queue: { job: Job; held: HeldAnswer | null }[] = [];
  /** Archived and parsed, in the order of their records. They are finished and reported in that order, whoever is answered
   * first: what is committed of a segment, or of the texts, is a beginning of it, and recovery cuts the rest off. */
  readonly #inOrder: Archived[] = [];
  #reports: LeaseReport[] = [];
  #questions: HeldQuestion[] = [];
  #nearQuestions: NearQuestion[] = [];
  #draining = false;
  #asking = false;
  #sending: NodeJS.Timeout | null = null;
  #stopped = false;

  /** @param readPage how a fetched page is read; tests put a poisonous one here. */
  constructor(
    settings: WorkerSettings,
    clock: Clock,
    post: (message: FromWorker) => void,
    readPage: typeof read = read,
  ) {
    this.#settings = settings;
    this.#post = post;
    this.#readPage = readPage;
    this.#shared = new SharedState(settings.shared);
    this.#heavy = new HeavyTypes(settings.documents.handlers.map(({ mediaType }) => mediaType));
    this.#documents = new DocumentReader(settings.documents);
    const { userAgent, timeouts, maxHeaderBytes, refuseCertificates, caps, pdf, own } = settings.fetch;
    const guard = createGuard({ refuse: own });
    const refuses = (host: string, address: string, port: number): string | null =>
      guard.checkSocket(host, address, port)?.reason ?? null;
    const tls = { rejectUnauthorized: refuseCertificates };
    this.#budget = new BodyBudget(this.#shared, settings.ownBodies, settings.bodyBudget, settings.index);
    this.#client = new HttpClient({ timeouts, maxHeaderBytes, tls, budget: this.#budget, refuses });
    const accepts = this.#heavy.accepts.bind(this.#heavy);
    const { normalize } = createNormalizer(settings.keyOptions);
    const refusesType = contentJudge(settings.fetch.contentRules, normalize);
    this.#fetcher = createFetcher({ userAgent, client: this.#client, caps, pdf, accepts, refuses: refusesType });
    const { warc, text, prefix, maxBytes, info } = settings.archive;
    const segments = { prefix, maxBytes, info, clock };
    const wallOffset = clock.wall() - clock.monotonic();
    this.#parts = {
      screen: new LinkScreen(settings),
      warc: new SegmentWriter({ ...segments, dir: warc, kind: 'warc' }),
      text: new SegmentWriter({ ...segments, dir: text, kind: 'text' }),
      ...{ agent: settings.agent, dedupe: settings.dedupe },
      wallOf: (monotonic) => Math.round(monotonic + wallOffset),
    };
    const beat = (): void => this.#shared.beat(settings.index, clock.monotonic());
    beat();
    setInterval(beat, settings.heartbeat).unref();
  }

  receive(message: ToWorker): void {
    switch (message.type) {
      case 'work':
        for (const order of message.orders) void this.#work(order);
        break;
      case 'held':
        for (const answer of message.answers) this.#resume(answer);
        break;
      case 'near':
        for (const answer of message.answers) this.#conclude(answer);
        break;
      case 'scope':
        this.#parts.screen.widen(message.seeds);
        break;
      case 'abort':
        this.#stopped = true;
        void this.#client.close();
        this.#documents.cancel();
        break;
      case 'close':
        void this.#close();
        break;
    }
  }

  async #work(order: WorkOrder): Promise<void> {
    const { kind, target: url, connectTo: address, cookie } = order;
    const { etag, lastModified } = order.held ?? {};
    const result = await this.#fetcher.fetch({ kind, url, address, etag, lastModified, cookie: cookie ?? undefined });
    const job = begin(order, result);
    const ask = question(job);
    if (ask === null) {
      this.#read(job, null);
    } else {
      this.#asked.set(order.lease, job);
      this.#questions.push(ask);
      this.#askSoon();
    }
  }

  #resume(answer: HeldAnswer): void {
    const job = this.#asked.get(answer.lease);
    if (job === undefined) return;
    this.#asked.delete(answer.lease);
    this.#read(job, answer);
  }

  /** A document of a heavy type is read first, in a thread of its own. */
  #read(job: Job, answer: HeldAnswer | null): void {
    if (!isHeavy(job, answer, this.#heavy, this.#settings.agent)) {
      this.#enqueue(job, answer);
      return;
    }
    const { mediaType, input } = job.document!;
    const document = { bytes: job.result.body, url: input.url, contentType: input.contentType ?? '' };
    void this.#documents.read(mediaType, document).then((read) => {
      job.answer = read;
      this.#enqueue(job, answer);
    });
  }

  #enqueue(job: Job, answer: HeldAnswer | null): void {
    this.#queue.push({ job, held: answer });
    this.#drainSoon();
  }

  #conclude({ lease, of }: NearAnswer): void {
    const archived = this.#compared.get(lease);
    if (archived === undefined) return;
    this.#compared.delete(lease);
    archived.near = of;
    this.#drainSoon();
  }

  #drainSoon(): void {
    if (this.#draining) return;
    this.#draining = true;
    setImmediate(() => this.#drain());
  }

  #drain(): void {
    const until = performance.now() + this.#settings.turn;
    const { index } = this.#settings;
    let done = 0;
    let isWaiting = false;
    try {
      while ((this.#firstIsAnswered || done < this.#queue.length) && performance.now() < until) {
        if (this.#firstIsAnswered) {
          this.#end(this.#inOrder.shift()!);
          continue;
        }
        const { job, held } = this.#queue[done];
        const isLarge = job.result.body.length > LARGE;
        // what comes behind a large body has all its time: it came later
        isWaiting = isLarge && !this.#shared.takeTurn(Turn.large, index);
        if (isWaiting) break;
        done++;
        this.#shared.setParsing(index, job.order.lease);
        this.#compare(this.#readPage(job, held, this.#parts));
        this.#shared.setParsing(index, -1);
        if (isLarge) this.#shared.endTurn(Turn.large, index);
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#queue.splice(0, done);
    if (isWaiting) setTimeout(() => this.#drain(), LARGE_WAIT);
    else if (this.#queue.length > 0 || this.#firstIsAnswered) setImmediate(() => this.#drain());
    else this.#draining = false;
    this.#sendSoon();
  }

  /** Is the text of a page held already? Of pages that have none nothing is asked. */
  #compare(read: ReadJob): void {
    const ask = nearQuestion(read);
    const archived: Archived = { read, near: ask === null ? -1 : null };
    this.#letGo(read);
    this.#inOrder.push(archived);
    if (ask === null) return;
    this.#compared.set(ask.lease, archived);
    this.#nearQuestions.push(ask);
    this.#askSoon();
  }

  /** A body that was read is not held until it can be reported: what is still to come needs its text and links only. */
  #letGo(read: ReadJob): void {
    const { job } = read;
    const { payload, body } = job.result;
    this.#budget.pass(job.result, read, remainsOf(read));
    bodyBuffers.give(payload);
    if (body.buffer !== payload.buffer) bodyBuffers.give(body);
    job.result = { ...job.result, payload: NOTHING, body: NOTHING };
    job.document = undefined;
  }

  get #firstIsAnswered(): boolean {
    return this.#inOrder.length > 0 && this.#inOrder[0].near !== null;
  }

  #end({ read, near }: Archived): void {
    const { job } = read;
    this.#shared.setParsing(this.#settings.index, job.order.lease);
    this.#reports.push(finish(read, near ?? -1, this.#parts));
    this.#shared.setParsing(this.#settings.index, -1);
    this.#budget.drop(read);
  }

  /** Questions of one turn of the event loop go together. They do not linger: a page is not durable before its answers
   * are in. */
  #askSoon(): void {
    if (this.#asking) return;
    this.#asking = true;
    setImmediate(() => this.#ask());
  }

  #ask(): void {
    this.#asking = false;
    if (this.#questions.length > 0) this.#post({ type: 'held?', questions: this.#questions });
    if (this.#nearQuestions.length > 0) this.#post({ type: 'near?', questions: this.#nearQuestions });
    this.#questions = [];
    this.#nearQuestions = [];
  }

  #sendSoon(): void {
    this.#sending ??= setTimeout(() => this.#send(), LINGER);
  }

  #send(): void {
    if (this.#sending !== null) clearTimeout(this.#sending);
    this.#sending = null;
    if (this.#reports.length === 0) return;
    try {
      // what is reported must survive our death: it is in the page cache before main hears of it
      this.#parts.warc.flush();
      this.#parts.text.flush();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#post({ type: 'reports', batch: { reports: this.#reports, links: this.#parts.screen.packer.lend() } });
    this.#reports = [];
    const closed = [...this.#parts.warc.takeClosed(), ...this.#parts.text.takeClosed()];
    if (closed.length > 0) this.#post({ type: 'segments', closed });
  }

  /** The archive cannot be written: nothing more is reported, and the main thread stops the crawl. Anything else is a
   * fault of ours: the thread dies and is replaced. */
  #fail(error: unknown): void {
    if (!(error instanceof ArchiveError)) throw error;
    if (!this.#stopped) this.#post({ type: 'fatal', message: error.message });
    this.#stopped = true;
    void this.#client.close();
  }

  async #close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#documents.close()]);
    this.#send();
    try {
      this.#parts.warc.close();
      this.#parts.text.close();
      const closed = [...this.#parts.warc.takeClosed(), ...this.#parts.text.takeClosed()];
      if (closed.length > 0) this.#post({ type: 'segments', closed });
    } catch (error) {
      this.#fail(error);
    }
    this.#post({ type: 'closed' });
  }
}

/** Runs a page worker in this thread. */
export function runPageWorker(clock: Clock, readPage?: typeof read): void {
  const port = parentPort!;
  const settings = workerData as WorkerSettings;
  const worker = new PageWorker(settings, clock, (message) => port.postMessage(message), readPage);
  port.on('message', (message: ToWorker) => worker.receive(message));
}
