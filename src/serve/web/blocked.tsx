/** The hosts that are blocked: why, since when, until when, and the end of it. */
import { useCallback, useState } from 'preact/hooks';
import { type Notice, NoticeLine, useAnswer } from './asking.js';
import { type Blocklist, type Operated, send } from './client.js';
import { Search } from './search.js';
import { Pager, Table } from './table.js';
import { count, dateOf, plain, shortened } from './words.js';

const LIMIT = 50;

export function BlockedView() {
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const [notice, setNotice] = useState<Notice | null>(null);
  const query = new URLSearchParams({ search, offset: String(offset), limit: String(LIMIT) });
  const { answer, error, again } = useAnswer<Blocklist>(`/crawl/blocklist?${query}`);
  const look = useCallback((text: string) => {
    setSearch(text);
    setOffset(0);
  }, []);
  const change = async (
    method: 'POST' | 'DELETE',
    body: object,
    words: string,
    undo?: Notice['undo'],
  ): Promise<void> => {
    try {
      await send<Operated>(method, '/crawl/blocklist', body);
      setNotice(undo === undefined ? { words } : { words, undo });
    } catch (reason) {
      setNotice({ words: (reason as Error).message, isError: true });
    }
    again();
  };
  const unblock = ({ host, reason, until }: Blocklist['hosts'][number]): Promise<void> => {
    // the same block again: with what is left of its time
    const rest = until === null ? {} : { for: `${Math.max(1, Math.round((until - Date.now()) / 1000))}s` };
    return change('DELETE', { host }, `${host} is fetched again.`, () =>
      change('POST', { host, reason, ...rest }, `${host} is blocked as before.`),
    );
  };
  return (
    <section aria-labelledby="blocked-title">
      <div class="head">
        <h2 id="blocked-title">Blocked hosts</h2>
        <Search words="Search blocked hosts" search={look} />
      </div>
      {error !== '' && <p class="alarm serious">{error}</p>}
      <NoticeLine notice={notice} close={() => setNotice(null)} />
      {answer?.total === 0 && (
        <p class="muted">
          {search === '' ? 'No host is blocked. Open a host to block it.' : 'None of that name is blocked.'}
        </p>
      )}
      {answer !== null && answer.total > 0 && (
        <>
          <Table name="Blocked hosts" columns={['Host', 'Pending', 'Since', 'Until', 'Reason', '']}>
            {answer.hosts.map((blocked) => (
              <tr key={blocked.host}>
                <th scope="row">
                  <a href={`#/hosts/${encodeURIComponent(blocked.host)}`}>{blocked.host}</a>
                </th>
                <td>{count(blocked.pending)}</td>
                <td>{blocked.since === null ? '–' : dateOf(blocked.since)}</td>
                <td>{blocked.until === null ? 'unblocked' : dateOf(blocked.until)}</td>
                <td class="why">{shortened(plain(blocked.reason), 300) || 'none was given'}</td>
                <td>
                  <button type="button" aria-label={`Unblock ${blocked.host}`} onClick={() => unblock(blocked)}>
                    Unblock
                  </button>
                </td>
              </tr>
            ))}
          </Table>
          <Pager offset={offset} limit={LIMIT} total={answer.total} go={setOffset} />
        </>
      )}
    </section>
  );
}
