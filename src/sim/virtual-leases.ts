/** `leases.open` in memory, with the promises of the file (`state/leases-file.ts`): it survives a killed process as it
 * stands; after a power cut an older state of it may be found. */
import type { OpenLease } from '../state/leases-file.js';
import type { LastStop } from '../state/rebuild.js';

const lineOf = ({ url, host, kind, at }: OpenLease): string => `${url} ${host} ${kind} ${at}`;

export class VirtualLeases {
  #open = new Map<string, OpenLease>();
  /** As it was at some earlier moment of this process. */
  #older: Map<string, OpenLease> | null = null;
  #writes = 0;
  #isClean = false;
  #isNew = true;

  /** What a start finds. A directory without the file is a new one. */
  read(): LastStop {
    return { clean: this.#isNew || (this.#isClean && this.#open.size === 0), leases: [...this.#open.values()] };
  }

  /** A process took over: the next start is an unclean one until {@link stop}. */
  take(): void {
    this.#isNew = false;
    this.#isClean = false;
    this.#older = new Map(this.#open);
    this.#writes = 0;
  }

  granted(leases: readonly OpenLease[]): void {
    this.#wrote();
    for (const lease of leases) this.#open.set(lineOf(lease), lease);
  }

  settled(leases: readonly OpenLease[]): void {
    this.#wrote();
    for (const lease of leases) this.#open.delete(lineOf(lease));
  }

  stop(): void {
    this.#isClean = true;
  }

  /** The page cache is lost. */
  powerCut(): void {
    if (this.#older !== null) this.#open = this.#older;
  }

  #wrote(): void {
    if (++this.#writes % 16 === 0) this.#older = new Map(this.#open);
  }
}
