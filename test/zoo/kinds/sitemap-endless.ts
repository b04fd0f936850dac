import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'sitemap-endless',
  does: 'Has an index that names a new index each time.',
  must: 'Stops at the budget, or before.',
  answer: ({ target, nth, url }, socket) => {
    const own = (path: string) => url('sitemap-endless', path);
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: `Sitemap: ${own('/sitemap.xml')}\n` });
    else if (target.startsWith('/sitemap'))
      reply(socket, {
        type: 'application/xml',
        body: `<sitemapindex><sitemap><loc>${own(`/sitemap/${nth}`)}</loc></sitemap></sitemapindex>`,
      });
    else reply(socket, { body: page(`page ${target}`) });
  },
  outcome: { robots: 'ok', codes: { ok: [2, 40] }, pages: [1, 1] },
} satisfies Beast;
