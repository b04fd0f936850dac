import { type Beast, once, page, reply } from '../beast.js';

/** As much of it as a sitemap may have: 49 MiB. */
const million = once(() => {
  const entry = (_: unknown, i: number) => `<url><loc>/item/${1e6 + i}</loc><lastmod>2026-11-30</lastmod></url>`;
  return Buffer.from(`<urlset>${Array.from({ length: 1_000_000 }, entry).join('')}</urlset>`).subarray(0, 49 << 20);
});

export default {
  name: 'sitemap-million',
  does: 'Has a sitemap of a million URLs.',
  must: 'Reads 50,000 of them, and admits what the budget allows.',
  answer: ({ target, url }, socket) => {
    const own = (path: string) => url('sitemap-million', path);
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: `Sitemap: ${own('/sitemap.xml')}\n` });
    else if (target.startsWith('/sitemap')) reply(socket, { type: 'application/xml', body: million() });
    else reply(socket, { body: page(`page ${target}`) });
  },
  outcome: { robots: 'ok', codes: { ok: [10, 40] }, pages: [9, 40] },
} satisfies Beast;
