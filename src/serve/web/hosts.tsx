/** The hosts: searched, sorted and paged by the server. */
import { useEffect, useState } from 'preact/hooks';
import { Scroll, useAnswer } from './asking.js';
import type { HostList } from './client.js';
import { count, size, timeOf } from './words.js';

const LIMIT = 50;
const COLUMNS = [
  ['name', 'Host'],
  ['pending', 'Pending'],
  ['requests', 'Requests'],
  ['failures', 'Failed'],
  ['bytes', 'Received'],
  ['recent', 'Last request'],
] as const;
type Sort = (typeof COLUMNS)[number][0];

export function HostsView() {
  const [sort, setSort] = useState<Sort>('pending');
  const [order, setOrder] = useState<'asc' | 'desc'>('desc');
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSearch(typed);
      setOffset(0);
    }, 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = new URLSearchParams({ sort, order, search, offset: String(offset), limit: String(LIMIT) });
  const { answer, error } = useAnswer<HostList>(`/hosts?${query}`);
  const by = (column: Sort): void => {
    setOffset(0);
    if (column === sort) setOrder(order === 'asc' ? 'desc' : 'asc');
    else {
      setSort(column);
      setOrder(column === 'name' ? 'asc' : 'desc');
    }
  };
  return (
    <section aria-labelledby="hosts-title">
      <div class="head">
        <h2 id="hosts-title">Hosts</h2>
        <label class="search">
          <span class="hidden">Search hosts</span>
          <input
            type="search"
            placeholder="Part of a name"
            value={typed}
            onInput={(e) => setTyped(e.currentTarget.value)}
          />
        </label>
      </div>
      {error !== '' && <p class="alarm serious">{error}</p>}
      <Scroll name="Hosts">
        <table class="list">
          <thead>
            <tr>
              {COLUMNS.map(([column, words]) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={column !== sort ? 'none' : order === 'asc' ? 'ascending' : 'descending'}
                >
                  <button type="button" class="link" onClick={() => by(column)}>
                    {words}
                    <span aria-hidden="true">{column === sort ? (order === 'asc' ? ' ▲' : ' ▼') : ''}</span>
                  </button>
                </th>
              ))}
              <th scope="col">Why it waits</th>
            </tr>
          </thead>
          <tbody>
            {answer?.hosts.map((host) => (
              <tr key={host.host}>
                <th scope="row">
                  <a href={`#/hosts/${encodeURIComponent(host.host)}`}>{host.host}</a>
                </th>
                <td>{count(host.pending)}</td>
                <td>{count(host.requests)}</td>
                <td class={host.failures > 0 ? 'bad' : ''}>{count(host.failures)}</td>
                <td>{size(host.bytes)}</td>
                <td>{host.lastRequest === null ? '–' : timeOf(host.lastRequest)}</td>
                <td class="why">
                  {host.state}: {host.why}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Pager offset={offset} total={answer?.total ?? 0} go={setOffset} />
      <p class="muted">Requests, failures and bytes are those of this run.</p>
    </section>
  );
}

function Pager({ offset, total, go }: { offset: number; total: number; go: (offset: number) => void }) {
  const last = Math.min(total, offset + LIMIT);
  return (
    <p class="pager">
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - LIMIT))}>
        Previous
      </button>
      <span aria-live="polite">
        {total === 0 ? 'No host' : `${count(offset + 1)} to ${count(last)} of ${count(total)}`}
      </span>
      <button type="button" disabled={last >= total} onClick={() => go(offset + LIMIT)}>
        Next
      </button>
    </p>
  );
}
