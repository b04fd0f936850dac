/** How far each segment is committed: what may be kept of it when the process or one of its workers has died. */
import type { Changes, RecordPointer, SegmentRow, VisitRow } from '../changes.js';

export class CommittedSegments {
  readonly #names = new Map<number, string>();
  readonly #ends = new Map<number, number>();

  /** Everything of a batch that has been committed. */
  add({ segments, requests, visits, reparsed }: Pick<Changes, 'segments' | 'requests' | 'visits' | 'reparsed'>): void {
    for (const row of segments) this.segment(row);
    for (const { record } of requests) this.record(record);
    for (const visit of visits) this.visit(visit);
    for (const { text } of reparsed) this.record(text);
  }

  /** Its `record` is its request's, unless it was imported. */
  visit({ request, record, text }: VisitRow): void {
    if (request < 0) this.record(record);
    this.record(text);
  }

  segment({ id, name }: SegmentRow): void {
    this.#names.set(id, name);
  }

  record(at: RecordPointer | null): void {
    if (at === null) return;
    const end = at.offset + at.length;
    if (end > (this.#ends.get(at.segment) ?? 0)) this.#ends.set(at.segment, end);
  }

  /** Committed bytes by the segment's id, for a checkpoint. */
  ends(): [segment: number, end: number][] {
    return [...this.#ends];
  }

  /** Committed bytes by the segment's name. */
  lengths(): Map<string, number> {
    return new Map([...this.#names].map(([id, name]) => [name, this.#ends.get(id) ?? 0]));
  }
}
