/**
 * Sends spans to a receiver of OpenTelemetry traces: OTLP over HTTP with JSON, the stable encoding of version 1.x of the
 * protocol (opentelemetry.io/docs/specs/otlp). What cannot be sent in time is dropped and counted: nothing waits for it.
 */
import { version } from '../version.js';

/** Times are wall ms, ids hex. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** It made a request of its own. */
  isClient: boolean;
  isError: boolean;
  start: number;
  end: number;
  attributes: Readonly<Record<string, string | number | boolean>>;
  events: readonly { name: string; at: number }[];
}

/** Spans that wait, and spans of one request. */
const MOST_WAITING = 4_096;
const BATCH = 512;
/** ms between two requests, and that one may take. */
const EVERY = 2_000;
const PATIENCE = 10_000;
const LAST_PATIENCE = 3_000;

export interface ExportCounts {
  spansSent: number;
  spansDropped: number;
}

export class SpanExporter {
  readonly #endpoint: string;
  readonly #counts: ExportCounts;
  readonly #say: (sentence: string) => void;
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #sending: Promise<void> | null = null;
  #hasFailed = false;

  /** @param endpoint as the user gave it: nothing is sent anywhere else, redirects are not followed
   * @param say tells, once in a row of failures, that the receiver does not take them */
  constructor(endpoint: string, counts: ExportCounts, say: (sentence: string) => void) {
    this.#endpoint = endpoint;
    this.#counts = counts;
    this.#say = say;
    this.#timer = setInterval(() => this.#send(PATIENCE), EVERY);
    this.#timer.unref();
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#counts.spansDropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length === BATCH) this.#send(PATIENCE);
  }

  /** Sends what is left, for a moment. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const end = performance.now() + LAST_PATIENCE;
    while (this.#sending !== null || this.#waiting.length > 0) {
      const rest = end - performance.now();
      if (rest <= 0) break;
      this.#send(rest);
      await Promise.race([this.#sending, new Promise((resolve) => setTimeout(resolve, rest).unref())]);
    }
    this.#counts.spansDropped += this.#waiting.length;
    this.#waiting = [];
  }

  /** One request at a time. */
  #send(patience: number): void {
    if (this.#sending !== null || this.#waiting.length === 0) return;
    const spans = this.#waiting.splice(0, BATCH);
    this.#sending = this.#post(spans, patience)
      .then(
        () => {
          this.#counts.spansSent += spans.length;
          this.#hasFailed = false;
        },
        (error: Error) => {
          this.#counts.spansDropped += spans.length;
          if (!this.#hasFailed)
            this.#say(`Traces are lost, since ${this.#endpoint} does not take them: ${why(error)}.`);
          this.#hasFailed = true;
        },
      )
      .finally(() => {
        this.#sending = null;
        if (this.#waiting.length >= BATCH) this.#send(PATIENCE);
      });
  }

  async #post(spans: readonly Span[], patience: number): Promise<void> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(otlp(spans)),
      redirect: 'error',
      signal: AbortSignal.timeout(Math.ceil(patience)),
    });
    await response.body?.cancel(); // whatever it says, it is not read
    if (!response.ok) throw new Error(`it answered ${response.status}`);
  }
}

function why(error: Error): string {
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** `ExportTraceServiceRequest` of the protocol, in its JSON encoding: ids as hex, 64-bit numbers as strings. */
function otlp(spans: readonly Span[]): object {
  const scope = { name: 'saunter', version: version() };
  const resource = { attributes: attributes({ 'service.name': 'saunter', 'service.version': version() }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] };
}

const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

const spanOf = ({ isClient, isError, start, end, attributes: values, events, ...ids }: Span): object => ({
  ...ids,
  kind: isClient ? CLIENT : INTERNAL,
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end),
  attributes: attributes(values),
  events: events.map(({ name, at }) => ({ name, timeUnixNano: nanoseconds(at) })),
  status: { code: isError ? ERROR : OK },
});

const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

function attributes(values: Span['attributes']): object[] {
  return Object.entries(values).map(([key, value]) => {
    if (typeof value === 'boolean') return { key, value: { boolValue: value } };
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
  });
}
