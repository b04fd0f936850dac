/** A field to search in: what is typed is asked for when the typing rests. */
import { useEffect, useState } from 'preact/hooks';

const REST_MS = 200;

export function Search({ words, search }: { words: string; search: (text: string) => void }) {
  const [typed, setTyped] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => search(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="search">
      <span class="hidden">{words}</span>
      <input
        type="search"
        placeholder="Part of a name"
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
      />
    </label>
  );
}
