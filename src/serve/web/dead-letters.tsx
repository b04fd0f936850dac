/** URLs that were given up: why, after which attempts, how they get another chance, and how they leave the list. */
import { useRef, useState } from 'preact/hooks';
import { type Notice, NoticeLine, useAnswer } from './asking.js';
import { type DeadLetters, type Operated, send } from './client.js';
import { count, dateOf, plain, shortened } from './words.js';

type Verb = 'retry' | 'drop' | 'restore';
const DONE: Record<Verb, string> = { retry: 'tried again', drop: 'dropped', restore: 'brought back' };

export function DeadLettersView() {
  const [after, setAfter] = useState<number[]>([-1]);
  const [isDropped, setDropped] = useState(false);
  const query = `limit=50&after=${after.at(-1)}&dropped=${isDropped}`;
  const { answer, error, again } = useAnswer<DeadLetters>(`/dead-letters?${query}`);
  const [notice, setNotice] = useState<Notice | null>(null);
  const act = async (verb: Verb, body: object, undo?: Verb): Promise<void> => {
    try {
      const { changed } = await send<Operated>('POST', `/dead-letters/${verb}`, body);
      const words = `${count(changed)} ${changed === 1 ? 'letter is' : 'letters are'} ${DONE[verb]}.`;
      setNotice(undo === undefined ? { words } : { words, undo: () => act(undo, body) });
    } catch (reason) {
      setNotice({ words: (reason as Error).message, isError: true });
    }
    again();
  };
  const show = (dropped: boolean): void => {
    setDropped(dropped);
    setAfter([-1]);
  };
  const letters = answer?.letters ?? [];
  return (
    <section aria-labelledby="dead-title">
      <div class="head">
        <h2 id="dead-title">{isDropped ? 'Dropped letters' : 'Dead letters'}</h2>
        <p class="buttons">
          {isDropped ? (
            <button type="button" disabled={letters.length === 0} onClick={() => act('restore', {})}>
              Bring all back
            </button>
          ) : (
            <>
              <button type="button" disabled={letters.length === 0} onClick={() => act('retry', {})}>
                Try all again
              </button>
              <DropAll isOff={letters.length === 0} drop={() => act('drop', {})} />
            </>
          )}
          <button type="button" class="link" onClick={() => show(!isDropped)}>
            {isDropped ? 'Show dead letters' : 'Show dropped'}
          </button>
        </p>
      </div>
      {error !== '' && <p class="alarm serious">{error}</p>}
      <NoticeLine notice={notice} close={() => setNotice(null)} />
      {answer !== null && letters.length === 0 && (
        <p class="muted">{isDropped ? 'No letter was dropped.' : 'No URL was given up.'}</p>
      )}
      <ul class="letters">
        {letters.map((letter) => (
          <Letter key={letter.place} letter={letter} isDropped={isDropped} act={act} />
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

function Letter({
  letter: { url, at, code, words, history },
  isDropped,
  act,
}: {
  letter: DeadLetters['letters'][number];
  isDropped: boolean;
  act: (verb: Verb, body: object, undo?: Verb) => Promise<void>;
}) {
  const name = shortened(plain(url), 80);
  return (
    <li class="card">
      <p class="url">{shortened(plain(url), 300)}</p>
      <p>
        <strong class="bad">{code}</strong> {words}. Given up {dateOf(at)}.
      </p>
      {history.length > 0 && (
        <details>
          <summary>
            {count(history.length)} {history.length === 1 ? 'attempt' : 'attempts'}
          </summary>
          <ol>
            {history.map((attempt) => (
              <li key={attempt.at}>
                {dateOf(attempt.at)}: {attempt.code} {attempt.status > 0 && `(${attempt.status})`}
              </li>
            ))}
          </ol>
        </details>
      )}
      <p class="buttons">
        <button type="button" aria-label={`Try again: ${name}`} onClick={() => act('retry', { url })}>
          Try again
        </button>
        {isDropped ? (
          <button type="button" aria-label={`Bring back: ${name}`} onClick={() => act('restore', { url }, 'drop')}>
            Bring back
          </button>
        ) : (
          <button type="button" aria-label={`Drop: ${name}`} onClick={() => act('drop', { url }, 'restore')}>
            Drop
          </button>
        )}
      </p>
    </li>
  );
}

/** Asked first: it is about letters that are not on the screen, too. */
function DropAll({ isOff, drop }: { isOff: boolean; drop: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  return (
    <>
      <button type="button" class="danger" disabled={isOff} onClick={() => dialog.current?.showModal()}>
        Drop all…
      </button>
      <dialog ref={dialog} aria-labelledby="drop-title">
        <h3 id="drop-title">Drop all dead letters?</h3>
        <p>Their URLs are not tried again. They can be brought back from “Show dropped”, all or one by one.</p>
        <p class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              close();
              void drop();
            }}
          >
            Drop all
          </button>
        </p>
      </dialog>
    </>
  );
}
