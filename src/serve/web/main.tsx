/** The dashboard: a crawl that runs, in one page. Everything it shows came from strangers; it is only ever set as text. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Alarms, TopBar } from './bar.js';
import { BlockedView } from './blocked.js';
import { adoptToken, setToken } from './client.js';
import { DeadLettersView } from './dead-letters.js';
import { HostView } from './host.js';
import { HostsView } from './hosts.js';
import { type Live, useLive } from './live.js';
import { Overview } from './overview.js';
import { PagesView } from './pages.js';
import { SeedsView } from './seeds.js';

const VIEWS = [
  ['', 'Overview'],
  ['hosts', 'Hosts'],
  ['pages', 'Pages'],
  ['dead', 'Dead letters'],
  ['blocked', 'Blocked'],
  ['seeds', 'Seeds'],
] as const;

/** The part of the address behind `#/`. */
function useRoute(): string {
  const read = (): string => location.hash.replace(/^#\/?/, '');
  const [route, setRoute] = useState(read());
  useEffect(() => {
    const changed = (): void => setRoute(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

function App() {
  const [attempt, setAttempt] = useState(0);
  const live = useLive(attempt);
  const route = useRoute();
  const [view, ...rest] = route.split('/');
  if (live.needsToken) {
    return <TokenForm again={() => setAttempt(attempt + 1)} />;
  }
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the figures
      </button>
      <TopBar live={live} />
      <nav aria-label="Views">
        {VIEWS.map(([name, words]) => (
          <a key={name} href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
            {words}
            {name === 'dead' && (live.stats?.deadLetters ?? 0) > 0 && (
              <span class="badge">{live.stats!.deadLetters}</span>
            )}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <Alarms live={live} />
        <View view={view} rest={rest.join('/')} live={live} />
      </main>
    </>
  );
}

function View({ view, rest, live }: { view: string; rest: string; live: Live }) {
  if (view === 'hosts') return rest === '' ? <HostsView /> : <HostView name={decodeURIComponent(rest)} />;
  if (view === 'pages') return <PagesView />;
  if (view === 'dead') return <DeadLettersView />;
  if (view === 'blocked') return <BlockedView />;
  if (view === 'seeds') return <SeedsView />;
  return <Overview live={live} />;
}

function TokenForm({ again }: { again: () => void }) {
  const [token, set] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    setToken(token.trim());
    again();
  };
  return (
    <main class="token">
      <h1>Saunter</h1>
      <p>
        This crawl wants its token. It was printed when the crawl began, at the end of the address of this page, or it
        is in SAUNTER_TOKEN.
      </p>
      <form onSubmit={submit}>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={token}
          onInput={(e) => set(e.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          Open
        </button>
      </form>
    </main>
  );
}

adoptToken();
render(<App />, document.getElementById('app')!);
