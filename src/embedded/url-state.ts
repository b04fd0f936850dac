/** How one URL stands with a crawl, read from its rows: for whoever asks about that URL alone. */
import { normalizerOf } from '../corpus/normal-forms.js';
import { originOf } from '../corpus/origin.js';
import { readDropped, readStates, rows, STATES, type State } from '../corpus/states.js';
import { type HostWait, restingHosts, silentOrigins } from '../corpus/waiting.js';
import type { StoreReader } from '../engines/ports.js';
import { systemClock } from '../engines/system.js';
import type { OutcomeCode } from '../errors.js';
import { UrlKeyer } from '../url/key.js';

export interface UrlStanding {
  readonly id: number;
  readonly state: State;
  /** How the last visit ended, or null without one. */
  readonly outcome: OutcomeCode | null;
  readonly attempts: number;
  /** It is dead, and its letter was dropped. */
  readonly dropped: boolean;
  /** Why its host is not asked for pages, or null. */
  readonly wait: HostWait | null;
}

/** Null for a URL that the crawl does not know. */
export function standingOf(reader: StoreReader, url: string): UrlStanding | null {
  const isSame = sameKey(reader, url);
  if (isSame === null) return null;
  for (const row of rows(reader, 'urls')) {
    if (!isSame(row)) continue;
    const { id, host } = row;
    const { states, attempts, outcomes } = readStates(reader);
    const rest = restingHosts(reader, systemClock.wall()).get(host) ?? silentOrigins(reader).get(originOf(row.url));
    return {
      ...{ id, state: STATES[states[id]], outcome: outcomes(id), attempts: attempts[id] },
      ...{ dropped: readDropped(reader).has(id), wait: rest?.wait ?? null },
    };
  }
  return null;
}

interface Key {
  readonly keyHi: number;
  readonly keyLo: number;
}

/** Whether a row is of this URL, by the key that the crawl gives it; null for what is no URL to it. */
export function sameKey(reader: Pick<StoreReader, 'meta'>, url: string): ((row: Key) => boolean) | null {
  const normal = normalizerOf(reader).normalize(url);
  if (normal.url === null) return null;
  const keyer = new UrlKeyer(Buffer.from(reader.meta('key.secret') ?? '', 'hex'));
  keyer.hash(normal.url);
  const { hi, lo } = keyer;
  return ({ keyHi, keyLo }) => keyHi === hi && keyLo === lo;
}
