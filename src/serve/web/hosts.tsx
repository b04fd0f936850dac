/** The hosts: searched, sorted and paged by the server. */

import { useCallback, useState } from 'preact/hooks';
import { formatSize } from '../../units.js';
import { useAnswer } from './asking.js';
import type { HostList } from './client.js';
import { Search } from './search.js';
import { type Column, Pager, Table } from './table.js';
import { count, timeOf } from './words.js';

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
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const look = useCallback((text: string) => {
    setSearch(text);
    setOffset(0);
  }, []);
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
  const head = ([column, words]: (typeof COLUMNS)[number]): Column => ({
    words,
    order: column !== sort ? 'none' : order === 'asc' ? 'ascending' : 'descending',
    sort: () => by(column),
  });
  return (
    <section aria-labelledby="hosts-title">
      <div class="head">
        <h2 id="hosts-title">Hosts</h2>
        <Search words="Search hosts" search={look} />
      </div>
      {error !== '' && <p class="alarm serious">{error}</p>}
      <Table name="Hosts" columns={[...COLUMNS.map(head), 'Why it waits']}>
        {answer?.hosts.map((host) => (
          <tr key={host.host}>
            <th scope="row">
              <a href={`#/hosts/${encodeURIComponent(host.host)}`}>{host.host}</a>
            </th>
            <td>{count(host.pending)}</td>
            <td>{count(host.requests)}</td>
            <td class={host.failures > 0 ? 'bad' : ''}>{count(host.failures)}</td>
            <td>{formatSize(host.bytes)}</td>
            <td>{host.lastRequest === null ? '–' : timeOf(host.lastRequest)}</td>
            <td class="why">
              {host.state}: {host.why}
            </td>
          </tr>
        ))}
      </Table>
      <Pager offset={offset} limit={LIMIT} total={answer?.total ?? 0} go={setOffset} />
      <p class="muted">Requests, failures and bytes are those of this run.</p>
    </section>
  );
}
