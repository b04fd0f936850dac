/**
 * The quarantine: pages that killed a page worker before are fetched and read in a worker of their own, one at a time,
 * so that their next death costs nobody else a lease (docs/decisions/032). It is started when the first of them comes,
 * and ended when none has come for a while.
 */
import type { Lease } from '../frontier/lease.js';
import type { LeaseReport } from '../frontier/report.js';
import { type Death, type Member, type MemberEvents, returned } from './member.js';
import type { FromWorker, ToWorker } from './messages.js';

export interface QuarantineEvents {
  message: (member: Member, message: FromWorker) => void;
  reports: (reports: LeaseReport[]) => void;
  /** A page killed the worker that it had for itself. */
  givenUp: (url: string, why: string) => void;
  /** The worker died before it could have been the page's doing. False: there is no use in starting another. */
  failed: (why: string) => boolean;
}

/** What the page alone is charged with. */
const ALONE = { 'worker.crash': 'worker.crash-alone', 'worker.hang': 'worker.hang-alone' } as const;
/** A worker that had nothing to do for so long is ended, ms: each start begins a segment of its own. */
const IDLE = 30_000;

export class Quarantine {
  readonly #start: (events: MemberEvents) => Member;
  readonly #events: QuarantineEvents;
  readonly #now: () => number;
  /** Leases that came while another is out. The frontier grants one at a time; the next spelling of a page, after a
   * redirect to itself, may come on top of it. */
  #waiting: Lease[] = [];
  #member: Member | null = null;
  #idleSince = 0;
  #isClosed = false;

  /** @param now monotonic ms */
  constructor(start: (events: MemberEvents) => Member, now: () => number, events: QuarantineEvents) {
    this.#start = start;
    this.#now = now;
    this.#events = events;
  }

  /** The worker, if one is up. */
  get member(): Member | null {
    return this.#member;
  }

  submit(lease: Lease): void {
    this.#waiting.push(lease);
    this.#next();
  }

  send(message: ToWorker): void {
    this.#member?.send(message);
  }

  /** What has not begun returns unfetched, what is under way is ended. */
  abort(): void {
    const now = this.#now();
    const reports = this.#waiting.map((lease) => returned(lease, 'lease.returned', now));
    this.#waiting = [];
    this.send({ type: 'abort' });
    if (reports.length > 0) this.#events.reports(reports);
  }

  /** Looks whether the worker is of use still. */
  look(): void {
    const member = this.#member;
    if (member === null || member.isClosing || member.out.size > 0 || this.#now() - this.#idleSince < IDLE) return;
    member.close();
    void this.#end(member).then(() => this.#next());
  }

  /** When it resolves, nothing is written any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const member = this.#member;
    if (member === null) return;
    if (!member.isClosing) member.close();
    await this.#end(member);
  }

  async #end(member: Member): Promise<void> {
    await member.closed;
    await member.terminate();
    if (this.#member === member) this.#member = null;
  }

  /** The next page, if the worker has nothing to do. */
  #next(): void {
    if (this.#isClosed || this.#waiting.length === 0) return;
    this.#member ??= this.#begin();
    if (this.#member.isClosing || this.#member.out.size > 0) return;
    this.#member.submit([this.#waiting.shift()!]);
  }

  #begin(): Member {
    const member: Member = this.#start({
      message: (message) => {
        this.#events.message(member, message);
        if (message.type !== 'reports') return;
        this.#idleSince = this.#now();
        this.#next();
      },
      died: (code, why) => this.#died(member, code, why),
    });
    this.#idleSince = this.#now();
    return member;
  }

  /** Whatever it did at the time: a worker that lived, and had this one page, died of it. One that never came up did not. */
  #died(member: Member, code: Death, why: string): void {
    const [lease] = member.out.values();
    const isCharged = lease !== undefined && (member.culprit === lease.id || member.hasShown);
    this.#member = null;
    if (isCharged) this.#events.givenUp(lease.target, why);
    else if (!this.#events.failed(why)) return;
    this.#events.reports(member.lost(isCharged ? lease.id : -1, ALONE[code]));
    this.#next();
  }
}
