import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'sitemap-elsewhere',
  does: 'Names pages of other sites in its sitemap.',
  must: 'Takes none of them.',
  answer: ({ target, url }, socket) => {
    const own = (path: string) => url('sitemap-elsewhere', path);
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: `Sitemap: ${own('/sitemap.xml')}\n` });
    else if (target.startsWith('/sitemap'))
      reply(socket, {
        type: 'application/xml',
        body: `<urlset><url><loc>http://bank.example/</loc></url><url><loc>http://169.254.169.254/</loc></url><url><loc>${own('/own')}</loc></url></urlset>`,
      });
    else reply(socket, { body: page(`page ${target}`) });
  },
  outcome: { robots: 'ok', codes: { ok: 3 }, pages: 2 },
} satisfies Beast;
