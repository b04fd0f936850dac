import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'sitemap-itself',
  does: 'Has an index that names itself, and indexes that name each other.',
  must: 'Asks for each once.',
  answer: ({ target, url }, socket) => {
    const own = (path: string) => url('sitemap-itself', path);
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: `Sitemap: ${own('/sitemap.xml')}\n` });
    else if (target.startsWith('/sitemap'))
      reply(socket, {
        type: 'application/xml',
        body: `<sitemapindex>${['', '2', '3'].map((n) => `<sitemap><loc>${own(`/sitemap${n}.xml`)}</loc></sitemap>`).join('')}</sitemapindex>`,
      });
    else reply(socket, { body: page(`page ${target}`) });
  },
  outcome: { robots: 'ok', codes: { ok: 4 }, pages: 1 },
} satisfies Beast;
