/** What the seeds of earlier runs stand for, from their rows. */
import type { StoreReader } from '../engines/ports.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Territory } from './territory.js';

/** The hosts of the seeds that are known, each once. */
export function* seedHosts(store: StoreReader, { urls, hosts }: Frontier): Generator<string> {
  const isMet = new Uint8Array(hosts.size);
  for (const rows of store.scan('seeds')) {
    for (const { url } of rows) {
      const host = urls.hostOf(url);
      if (isMet[host] === 1) continue;
      isMet[host] = 1;
      yield hosts.names[host];
    }
  }
}

/** A host has the budget of the seeds' hosts, if it is known. */
export function markSeed({ hosts }: Frontier, name: string): void {
  const host = hosts.find(name);
  if (host >= 0) hosts.seed[host] = 1;
}

/** Draws the scope as the seeds of earlier runs did. A scope of folders needs the text of each (5 us), one of hosts or
 * domains the number (0.5 us), and where everything is in scope nothing is read. */
export function drawScope(
  scope: 'any' | 'domain' | 'host' | 'prefix',
  store: StoreReader,
  frontier: Frontier,
  land: Territory,
): void {
  if (scope === 'any') return;
  if (scope !== 'prefix') {
    for (const host of seedHosts(store, frontier)) land.scope.extend({ host, origin: '', fetch: '' });
    return;
  }
  for (const rows of store.scan('seeds')) {
    const texts = store
      .at(
        'urls',
        rows.map(({ url }) => url),
      )
      .map(({ url }) => url);
    for (const seed of land.given(texts)) land.scope.extend(seed);
  }
}
