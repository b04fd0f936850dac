/** One host: why it waits, what its robots.txt says, what was requested, and its block. */

import { useRef, useState } from 'preact/hooks';
import { formatSize } from '../../units.js';
import { type Asked, type Notice, NoticeLine, useAnswer } from './asking.js';
import { type Host, type Operated, send } from './client.js';
import { tone } from './overview.js';
import { Table } from './table.js';
import { count, dateOf, plain, shortened, span, timeOf } from './words.js';

export function HostView({ name }: { name: string }) {
  const asked = useAnswer<Host>(`/hosts/${encodeURIComponent(name)}`, 2_000);
  const { answer: host, error } = asked;
  return (
    <section aria-labelledby="host-title">
      <p>
        <a href="#/hosts">All hosts</a>
      </p>
      <h2 id="host-title">{name}</h2>
      {error !== '' && <p class="alarm serious">{error}</p>}
      {host !== null && <Facts host={host} />}
      {host !== null && <Block host={host} again={asked.again} />}
      {host !== null && <Requests host={host} />}
    </section>
  );
}

function Facts({ host }: { host: Host }) {
  const { budget, delay } = host;
  const owes = [`${span(delay.owed)} after the last request`];
  if (delay.crawlDelay > 0) owes.push(`Crawl-delay ${span(delay.crawlDelay)}`);
  if (delay.penalty > 0) owes.push(`penalty ${span(delay.penalty)}`);
  return (
    <dl class="facts">
      <Fact name="State" value={`${host.state}: ${host.why}`} />
      {host.block !== null && <Fact name="Blocked" value={blockWords(host.block)} />}
      <Fact name="Address" value={host.address ?? 'not looked up yet'} />
      <Fact name="Pending" value={`${count(host.pending)} URLs`} />
      <Fact name="Delay" value={owes.join(', ')} />
      <Fact
        name="Budget"
        value={`${count(budget.fetched)} fetched, ${count(budget.admitted)} admitted of ${budget.limit === null ? 'any number' : count(budget.limit)}`}
      />
      <Fact
        name="This run"
        value={`${count(host.requests)} requests, ${count(host.failures)} failed, ${formatSize(host.bytes)}`}
      />
      {host.robots.map(({ origin, verdict, until }) => (
        <Fact
          key={origin}
          name="robots.txt"
          value={`${origin}: ${verdict}${until === null ? '' : ` until ${dateOf(until)}`}`}
        />
      ))}
    </dl>
  );
}

function blockWords({ reason, since, until }: NonNullable<Host['block']>): string {
  const times = [
    since === null ? '' : `since ${dateOf(since)}`,
    until === null ? 'until it is unblocked' : `until ${dateOf(until)}`,
  ];
  return `${times.filter((words) => words !== '').join(', ')}: ${shortened(plain(reason), 300) || 'no reason was given'}`;
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

function Block({ host, again }: { host: Host; again: Asked<Host>['again'] }) {
  const [notice, setNotice] = useState<Notice | null>(null);
  const [reason, setReason] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  const isBlocked = host.state === 'blocked';
  const change = async (
    method: 'POST' | 'DELETE',
    body: object,
    words: string,
    undo?: () => Promise<void>,
  ): Promise<void> => {
    try {
      const { pending } = await send<Operated>(method, '/crawl/blocklist', body);
      const done = `${words} ${count(pending)} of its URLs are pending.`;
      setNotice(undo === undefined ? { words: done } : { words: done, undo });
    } catch (error) {
      setNotice({ words: (error as Error).message, isError: true });
    }
    again();
  };
  const unblock = (): Promise<void> => change('DELETE', { host: host.host }, `${host.host} is fetched again.`);
  const block = async (event: Event): Promise<void> => {
    event.preventDefault();
    dialog.current?.close();
    await change('POST', { host: host.host, reason: reason.trim() }, `${host.host} is blocked.`, unblock);
  };
  return (
    <>
      <p>
        {isBlocked ? (
          <button type="button" onClick={unblock}>
            Unblock
          </button>
        ) : (
          <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
            Block…
          </button>
        )}
      </p>
      <NoticeLine notice={notice} close={() => setNotice(null)} />
      <dialog ref={dialog} aria-labelledby="block-title">
        <form onSubmit={block}>
          <h3 id="block-title">Block {host.host}?</h3>
          <p>No request goes to it from now on. Its {count(host.pending)} pending URLs wait until it is unblocked.</p>
          <label for="reason">Reason, for whoever looks later</label>
          <input
            id="reason"
            required
            maxLength={1000}
            value={reason}
            onInput={(e) => setReason(e.currentTarget.value)}
          />
          <p class="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="submit" class="danger" disabled={reason.trim() === ''}>
              Block
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}

function Requests({ host }: { host: Host }) {
  return (
    <>
      <h3>Last requests</h3>
      {host.recent.length === 0 && <p class="muted">None among the last ones of the crawl.</p>}
      <Table name="Last requests" columns={['URL', 'Time', 'Took', 'Answer', 'Received']}>
        {host.recent.map((request) => (
          <tr key={`${request.started} ${request.url}`}>
            <th scope="row" class="url">
              {shortened(plain(request.url), 160)}
            </th>
            <td>{timeOf(request.started)}</td>
            <td>{request.ended - request.started} ms</td>
            <td class={tone(request.status)}>
              {request.status === 0 ? '' : request.status} {request.code}
            </td>
            <td>{formatSize(request.bytes)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}
