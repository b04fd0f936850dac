/** Lists of things: a table that scrolls by itself where it is wider than the page, and the pages of a long list. */
import type { ComponentChildren } from 'preact';
import { count } from './words.js';

/** The head of a column; with `sort` it is a button that sorts by it. */
export interface Column {
  words: string;
  order?: 'none' | 'ascending' | 'descending';
  sort?: () => void;
}

export function Table({
  name,
  columns,
  children,
}: {
  name: string;
  columns: readonly (string | Column)[];
  children: ComponentChildren;
}) {
  const heads = columns.map((column): Column => (typeof column === 'string' ? { words: column } : column));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll" aria-label={name} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {heads.map(({ words, order, sort }) => (
              <th key={words} scope="col" aria-sort={order}>
                {sort === undefined ? words : <SortButton words={words} order={order} sort={sort} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const ARROWS = { none: '', ascending: ' ▲', descending: ' ▼' } as const;

function SortButton({ words, order, sort }: { words: string; order: Column['order']; sort: () => void }) {
  return (
    <button type="button" class="link" onClick={sort}>
      {words}
      <span aria-hidden="true">{ARROWS[order ?? 'none']}</span>
    </button>
  );
}

export function Pager({
  offset,
  limit,
  total,
  go,
}: {
  offset: number;
  limit: number;
  total: number;
  go: (offset: number) => void;
}) {
  const last = Math.min(total, offset + limit);
  return (
    <p class="pager">
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        Previous
      </button>
      <span aria-live="polite">
        {total === 0 ? 'No host' : `${count(offset + 1)} to ${count(last)} of ${count(total)}`}
      </span>
      <button type="button" disabled={last >= total} onClick={() => go(offset + limit)}>
        Next
      </button>
    </p>
  );
}
