/** Answers that are asked for: while they come, when they came, and when they did not. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from './client.js';

export interface Asked<T> {
  answer: T | null;
  error: string;
  again: () => void;
}

/** Asks now, and every `every` ms while the page is seen. */
export function useAnswer<T>(path: string, every = 3_000): Asked<T> {
  const [answer, setAnswer] = useState<T | null>(null);
  const [error, setError] = useState('');
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  useEffect(() => setAnswer(null), [path]);
  useEffect(() => {
    const control = new AbortController();
    const ask = (): void => {
      if (document.hidden) return;
      get<T>(path, control.signal).then(
        (value) => {
          setAnswer(value);
          setError('');
        },
        (reason: Error) => control.signal.aborted || setError(reason.message),
      );
    };
    ask();
    const timer = setInterval(ask, every);
    return () => {
      clearInterval(timer);
      control.abort();
    };
  }, [path, every, turn]);
  return { answer, error, again };
}

/** What came of something that was done, with a way back where there is one. */
export interface Notice {
  words: string;
  isError?: boolean;
  undo?: () => Promise<void>;
}

export function NoticeLine({ notice, close }: { notice: Notice | null; close: () => void }) {
  return (
    <div role="status" aria-live="polite">
      {notice !== null && (
        <p class={`alarm ${notice.isError === true ? 'serious' : 'done'}`}>
          {notice.words}{' '}
          {notice.undo !== undefined && (
            <button type="button" class="link" onClick={notice.undo}>
              Undo
            </button>
          )}{' '}
          <button type="button" class="link" onClick={close}>
            Close
          </button>
        </p>
      )}
    </div>
  );
}
