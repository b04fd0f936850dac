/** The small facts of a store's meta that are kept as JSON. */

import type { StoreReader } from './engines/ports.js';
import { UserError } from './errors.js';

/**
 * What the entry of that name holds.
 * @param absent what an entry that was never written stands for; one that was is of the same kind (list, object)
 * @throws UserError for an entry that is not what a crawl writes
 */
export function metaOf<T>(store: Pick<StoreReader, 'meta'>, name: string, absent: T): T {
  const text = store.meta(name);
  if (text === null) return absent;
  try {
    const value: unknown = JSON.parse(text);
    if (absent === null || kindOf(value) === kindOf(absent)) return value as T;
  } catch {
    // said below
  }
  throw new UserError(
    `The store of this crawl is damaged: its entry "${name}" (table meta) is not what a crawl writes there. ` +
      'Take crawl.sqlite from a backup, or begin anew in another directory.',
  );
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);
