/** The pages that came in last, with what was read from them. */

import { useState } from 'preact/hooks';
import { formatSize } from '../../units.js';
import { useAnswer } from './asking.js';
import type { PageList, PageText } from './client.js';
import { tone } from './overview.js';
import { Table } from './table.js';
import { plain, shortened, timeOf } from './words.js';

export function PagesView() {
  const { answer, error } = useAnswer<PageList>('/pages?limit=60', 2_000);
  const [visit, setVisit] = useState<number | null>(null);
  return (
    <section aria-labelledby="pages-title">
      <h2 id="pages-title">Pages that came in last</h2>
      {error !== '' && <p class="alarm serious">{error}</p>}
      {answer?.pages.length === 0 && <p class="muted">None in this run yet.</p>}
      {visit !== null && <Text visit={visit} close={() => setVisit(null)} />}
      <Table name="Pages" columns={['Page', 'Time', 'Outcome', 'Received', 'Text']}>
        {answer?.pages.map((page) => (
          <tr key={page.visit}>
            <th scope="row">
              <span class="title">{shortened(plain(page.title), 120) || 'no title'}</span>
              <span class="url">{shortened(plain(page.url), 160)}</span>
              {page.duplicateOf !== null && (
                <span class="muted url">repeats {shortened(plain(page.duplicateOf), 160)}</span>
              )}
            </th>
            <td>{timeOf(page.at)}</td>
            <td class={tone(page.status)}>
              {page.status} {page.code}
            </td>
            <td>{formatSize(page.bytes)}</td>
            <td>
              {page.hasText && (
                <button
                  type="button"
                  class="link"
                  aria-label={`Show text of ${shortened(plain(page.title) || plain(page.url), 80)}`}
                  onClick={() => setVisit(page.visit)}
                >
                  Show
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Text({ visit, close }: { visit: number; close: () => void }) {
  const { answer, error } = useAnswer<PageText>(`/pages/${visit}/text`, 3_600_000);
  return (
    <article class="card text" aria-labelledby="text-title">
      <p class="head">
        <strong id="text-title">{answer === null ? 'Text' : shortened(plain(answer.title), 200) || 'no title'}</strong>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
      {error !== '' && <p class="alarm serious">{error}</p>}
      {answer !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{answer.text}</pre>
      )}
    </article>
  );
}
