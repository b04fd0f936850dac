/** URLs that were given up: why, after which attempts, and how they get another chance. */
import { useState } from 'preact/hooks';
import { type Notice, NoticeLine, useAnswer } from './asking.js';
import { type DeadLetters, type Operated, send } from './client.js';
import { count, dateOf, plain, shortened } from './words.js';

export function DeadLettersView() {
  const [after, setAfter] = useState<number[]>([-1]);
  const { answer, error, again } = useAnswer<DeadLetters>(`/dead-letters?limit=50&after=${after.at(-1)}`);
  const [notice, setNotice] = useState<Notice | null>(null);
  const retry = async (body: object, words: string): Promise<void> => {
    try {
      const { changed } = await send<Operated>('POST', '/dead-letters/retry', body);
      setNotice({ words: `${words}: ${count(changed)} taken back.` });
    } catch (reason) {
      setNotice({ words: (reason as Error).message, isError: true });
    }
    again();
  };
  const letters = answer?.letters ?? [];
  return (
    <section aria-labelledby="dead-title">
      <div class="head">
        <h2 id="dead-title">Dead letters</h2>
        <button type="button" disabled={letters.length === 0} onClick={() => retry({}, 'All dead letters')}>
          Try all again
        </button>
      </div>
      {error !== '' && <p class="alarm serious">{error}</p>}
      <NoticeLine notice={notice} close={() => setNotice(null)} />
      {answer !== null && letters.length === 0 && <p class="muted">No URL was given up.</p>}
      <ul class="letters">
        {letters.map(({ place, url, at, code, words, history }) => (
          <li key={place} class="card">
            <p class="url">{shortened(plain(url), 300)}</p>
            <p>
              <strong class="bad">{code}</strong> {words}. Given up {dateOf(at)}.
            </p>
            {history.length > 0 && (
              <details>
                <summary>{count(history.length)} attempts</summary>
                <ol>
                  {history.map((attempt) => (
                    <li key={attempt.at}>
                      {dateOf(attempt.at)}: {attempt.code} {attempt.status > 0 && `(${attempt.status})`}
                    </li>
                  ))}
                </ol>
              </details>
            )}
            <button
              type="button"
              aria-label={`Try again: ${shortened(plain(url), 80)}`}
              onClick={() => retry({ url }, 'The URL')}
            >
              Try again
            </button>
          </li>
        ))}
      </ul>
      <p class="pager">
        <button type="button" disabled={after.length === 1} onClick={() => setAfter(after.slice(0, -1))}>
          Previous
        </button>
        <button
          type="button"
          disabled={answer === null || answer.next === null}
          onClick={() => answer?.next != null && setAfter([...after, answer.next])}
        >
          Next
        </button>
      </p>
    </section>
  );
}
