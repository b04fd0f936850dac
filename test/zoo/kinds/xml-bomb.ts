import { type Beast, page, reply } from '../beast.js';

const ENTITIES = Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE u [<!ENTITY l0 "ha">${ENTITIES}]><urlset><url><loc>http://&l12;/</loc></url></urlset>`;

export default {
  name: 'xml-bomb',
  does: 'Names a sitemap of a billion laughs.',
  must: 'Reads it as XML without entities.',
  answer: ({ target, url }, socket) => {
    if (target === '/robots.txt')
      reply(socket, { type: 'text/plain', body: `Sitemap: ${url('xml-bomb', '/s.xml')}\n` });
    else if (target === '/s.xml') reply(socket, { type: 'application/xml', body: LAUGHS });
    else reply(socket, { body: page('calm') });
  },
  outcome: { robots: 'ok', codes: { ok: 2 }, pages: 1 },
} satisfies Beast;
