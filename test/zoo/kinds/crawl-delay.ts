import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'crawl-delay',
  does: 'Asks for a day between requests.',
  must: 'Does not crawl it.',
  answer: ({ target }, socket) => {
    if (target === '/robots.txt') reply(socket, { type: 'text/plain', body: 'User-agent: *\nCrawl-delay: 86400\n' });
    else reply(socket, { body: page('in a hurry') });
  },
  outcome: { robots: 'ok', codes: {}, pages: 0 },
} satisfies Beast;
