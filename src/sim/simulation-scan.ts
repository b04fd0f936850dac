/** The whole of a frontier's memory, looked through: each URL is in one place, which its state names, and all counts agree. */
import type { Frontier } from '../frontier/frontier.js';
import { DENIED_LIST, HostState, REVISIT_LIST, REVISITS } from '../frontier/host-table.js';
import { NONE, UrlState } from '../frontier/url-table.js';
import { Violation } from './simulation-oracle.js';

/**
 * Linear in URLs and hosts, about 50 ns each.
 * @param going URLs whose lease goes on at another spelling: leased, without a lease at the moment
 * @throws Violation naming the first URL that is lost, in two places, or counted wrongly
 */
export function scanFrontier(frontier: Frontier, going: Iterable<number>): void {
  const { urls, hosts, back, retries, leases } = frontier;
  const found = new Uint8Array(urls.size);
  const find = (url: number, state: number, where: string, of: number): void => {
    if (urls.state(url) !== state)
      throw new Violation(`URL ${url} is in ${where} ${of} and in state ${urls.state(url)}`);
    if (found[url]++ > 0) throw new Violation(`URL ${url} is in ${where} ${of} and in another place`);
  };
  for (let host = 0; host < hosts.size; host++) {
    for (let list = 0; list <= REVISIT_LIST; list++) {
      const state = list === DENIED_LIST ? UrlState.denied : UrlState.pending;
      let steps = 0;
      for (let url = hosts.head(host, list); url !== NONE; url = urls.link(url)) {
        if (++steps > urls.size) throw new Violation(`list ${list} of host ${host} is a circle`);
        find(url, state, 'a list of host', host);
      }
      const bit = list === REVISIT_LIST ? REVISITS : 1 << list;
      if (list !== DENIED_LIST && steps > 0 !== (hosts.levels[host] & bit) > 0) {
        throw new Violation(`level ${list} of host ${host} has ${steps} URLs, its bit says otherwise`);
      }
    }
    if (hosts.state[host] === HostState.idle && hosts.levels[host] !== 0) {
      throw new Violation(`host ${host} has URLs and stands nowhere: it would wait for ever`);
    }
  }
  for (const slot of back.slots) {
    if (slot.host < 0) continue;
    for (let i = slot.at; i < slot.ahead.length; i++)
      find(slot.ahead[i].id, UrlState.pending, 'the look-ahead of host', slot.host);
    for (const url of slot.loading ?? []) find(url, UrlState.pending, 'a load of host', slot.host);
  }
  for (const lease of leases.values()) if (lease.url >= 0) find(lease.url, UrlState.leased, 'lease', lease.id);
  for (const url of going) if (urls.state(url) === UrlState.leased) find(url, UrlState.leased, 'errand', 0);
  countStates(frontier, found, retries.size);
}

/** Every URL must have been found, but for those that wait for a retry, and those that are over. */
function countStates({ urls, revisits }: Frontier, found: Uint8Array, retries: number): void {
  const inState = [0, 0, 0, 0, 0];
  let elsewhere = 0;
  let overdue = 0;
  for (let url = 0; url < urls.size; url++) {
    const state = urls.state(url);
    inState[state]++;
    if (revisits.isRevisit(url) && state !== UrlState.done) overdue++;
    if (found[url] > 0 || state === UrlState.done || state === UrlState.dead) continue;
    if (state !== UrlState.pending) throw new Violation(`URL ${url} is lost in state ${state}`);
    elsewhere++;
  }
  if (elsewhere !== retries) {
    throw new Violation(`${elsewhere} pending URLs are in no list, ${retries} wait for a retry`);
  }
  if (overdue !== revisits.overdue)
    throw new Violation(`${overdue} revisits are due, and ${revisits.overdue} are counted`);
  if (inState.some((n, state) => n !== urls.inState[state])) {
    throw new Violation(`the counts of states are ${urls.inState.join()}, there are ${inState.join()}`);
  }
}
