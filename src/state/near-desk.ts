/**
 * Answers the workers' question whether a page with nearly this text is kept already. While the index of a crawl that
 * goes on is still being loaded, behind the start, questions wait: nothing is fetched more slowly, and no page is kept
 * twice for it.
 */
import type { NearPages } from '../dedupe/near-pages.js';
import type { NearAnswer, NearQuestion } from '../frontier/report.js';

export type AskNear = (question: NearQuestion) => number;
type Send = (answers: NearAnswer[]) => void;

export class NearDesk {
  readonly #near: NearPages;
  readonly #ask: AskNear;
  #waiting: { questions: readonly NearQuestion[]; send: Send }[] = [];
  #failed: (error: unknown) => void = () => {};

  /** @param ask looks a fingerprint up, once the index is loaded */
  constructor(near: NearPages, ask: AskNear) {
    this.#near = near;
    this.#ask = ask;
  }

  /** Loads what was deferred, in turns of some milliseconds. */
  load(failed: (error: unknown) => void): void {
    this.#failed = failed;
    if (!this.#near.isLoaded) setImmediate(() => this.#turn());
  }

  answer(questions: readonly NearQuestion[], send: Send): void {
    if (this.#near.isLoaded) send(questions.map((question) => ({ lease: question.lease, of: this.#ask(question) })));
    else this.#waiting.push({ questions, send });
  }

  #turn(): void {
    try {
      if (!this.#near.load()) {
        setImmediate(() => this.#turn());
        return;
      }
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const { questions, send } of waiting) this.answer(questions, send);
    } catch (error) {
      this.#failed(error);
    }
  }
}
