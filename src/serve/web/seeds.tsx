/** More seeds for a crawl that runs. */
import { useState } from 'preact/hooks';
import { type SeedAnswers, send } from './client.js';
import { count, plain, shortened } from './words.js';

export function SeedsView() {
  const [text, setText] = useState('');
  const [priority, setPriority] = useState(0);
  const [isSending, setSending] = useState(false);
  const [answer, setAnswer] = useState<SeedAnswers | null>(null);
  const [error, setError] = useState('');
  const urls = text.split(/\s+/).filter((url) => url !== '');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setError('');
    try {
      setAnswer(await send<SeedAnswers>('POST', '/crawl/seeds', { urls, priority }));
      setText('');
    } catch (reason) {
      setError((reason as Error).message);
    }
    setSending(false);
  };
  return (
    <section aria-labelledby="seeds-title">
      <h2 id="seeds-title">Add seeds</h2>
      <form onSubmit={submit} class="card">
        <label for="urls">URLs, one on a line</label>
        <textarea id="urls" rows={8} spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <label for="priority">Priority level (0 is best)</label>
        <select id="priority" value={priority} onChange={(e) => setPriority(Number(e.currentTarget.value))}>
          {[0, 1, 2, 3, 4].map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
        <p>
          <button type="submit" class="primary" disabled={urls.length === 0 || isSending}>
            Add {urls.length > 0 ? count(urls.length) : ''}
          </button>
        </p>
      </form>
      <div role="status" aria-live="polite">
        {error !== '' && <p class="alarm serious">{error}</p>}
        {answer !== null && (
          <p class="alarm done">
            {count(answer.admitted)} admitted, {count(answer.known)} known already, {count(answer.refused)} refused.
            They are durable.
          </p>
        )}
      </div>
      <ul class="plain">
        {answer?.seeds
          .filter(({ outcome }) => outcome === 'refused')
          .map(({ url, reason }) => (
            <li key={url}>
              <span class="url">{shortened(plain(url), 200)}</span> <span class="bad">{reason}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
