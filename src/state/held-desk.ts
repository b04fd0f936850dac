/**
 * Answers a worker's question whether a body is held already. The content table says where; the whole digests are
 * compared with that visit's row before anything is called a revisit. Two that ask at the same time are both told to
 * write.
 */
import type { VisitRow } from '../changes.js';
import type { ContentTable } from '../dedupe/content.js';
import type { Store, VisitReference } from '../engines/ports.js';
import type { HeldAnswer, HeldQuestion } from '../frontier/report.js';

export class HeldDesk {
  readonly #content: ContentTable;
  readonly #store: Pick<Store, 'readVisits'>;
  /** Visits of the open batches: not in the store yet. */
  readonly #uncommitted = new Map<number, VisitReference>();

  constructor(content: ContentTable, store: Pick<Store, 'readVisits'>) {
    this.#content = content;
    this.#store = store;
  }

  /** A visit was settled; `target` is the exact URL that answered. */
  settled(row: VisitRow, target: string): void {
    const { id, url, at, payloadDigest, contentHash } = row;
    this.#uncommitted.set(id, { visit: id, url, target, at, payloadDigest, contentHash });
  }

  committed(rows: readonly VisitRow[]): void {
    for (const row of rows) this.#uncommitted.delete(row.id);
  }

  /** Answers all questions; those that need a look into the store come later than the others, but they come. */
  answer(questions: readonly HeldQuestion[], send: (answers: HeldAnswer[]) => void): void {
    const now: HeldAnswer[] = [];
    const later: { question: HeldQuestion; visit: number }[] = [];
    for (const question of questions) {
      const visit = this.#content.visitOf(question.contentHash);
      const reference = visit < 0 ? undefined : this.#uncommitted.get(visit);
      if (visit < 0) now.push({ lease: question.lease, held: 'new' });
      else if (reference !== undefined) now.push(judge(question, reference));
      else later.push({ question, visit });
    }
    if (now.length > 0) send(now);
    if (later.length > 0) void this.#readAll(later, send);
  }

  async #readAll(later: { question: HeldQuestion; visit: number }[], send: (answers: HeldAnswer[]) => void) {
    try {
      const references = await this.#store.readVisits(later.map(({ visit }) => visit));
      send(later.map(({ question }, i) => judge(question, references[i])));
    } catch {
      // the store cannot be read: writing the body twice loses nothing
      send(later.map(({ question }) => ({ lease: question.lease, held: 'new' })));
    }
  }
}

function judge(question: HeldQuestion, { url, target, at, payloadDigest, contentHash }: VisitReference): HeldAnswer {
  const { lease } = question;
  if (contentHash === null || Buffer.compare(contentHash, question.contentHash) !== 0) return { lease, held: 'new' };
  const same = payloadDigest !== null && Buffer.compare(payloadDigest, question.payloadDigest) === 0;
  return same ? { lease, held: 'revisit', of: url, url: target, date: at } : { lease, held: 'duplicate', of: url };
}
