/** The head of the page: the state of the crawl, its pause, and what one ought to know. */
import { useState } from 'preact/hooks';
import { type Stats, send } from './client.js';
import type { Live } from './live.js';
import { span } from './words.js';

const STATES = { running: 'Running', paused: 'Paused', stopping: 'Stopping' } as const;

export function TopBar({ live: { stats, trouble } }: { live: Live }) {
  const state = trouble !== '' ? 'gone' : (stats?.state ?? 'gone');
  const words = state === 'gone' ? (stats === null ? 'Connecting' : 'No connection') : STATES[state];
  return (
    <header class="top">
      <h1>Saunter</h1>
      <span class={`pill ${state}`} role="status">
        {words}
      </span>
      {stats !== null && <span class="muted since">for {span(stats.at - stats.startedAt)}</span>}
      {stats !== null && <PauseButton state={stats.state} />}
    </header>
  );
}

function PauseButton({ state }: { state: Stats['state'] }) {
  const [asked, ask] = useState(false);
  const verb = state === 'paused' ? 'resume' : 'pause';
  const press = async (): Promise<void> => {
    ask(true);
    await send('POST', `/crawl/${verb}`).catch(() => {});
    ask(false);
  };
  return (
    <button type="button" onClick={press} disabled={asked || state === 'stopping'}>
      {verb === 'pause' ? 'Pause' : 'Resume'}
    </button>
  );
}

export function Alarms({ live: { stats, trouble } }: { live: Live }) {
  return (
    <div role="status" aria-live="polite" class="alarms">
      {trouble !== '' && <p class="alarm warning">{trouble}</p>}
      {stats?.alarms.map(({ id, severity, words }) => (
        <p key={id} class={`alarm ${severity}`}>
          <strong>{severity === 'serious' ? 'Serious: ' : 'Note: '}</strong>
          {words}
        </p>
      ))}
    </div>
  );
}
