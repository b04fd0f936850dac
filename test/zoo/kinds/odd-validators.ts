import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'odd-validators',
  does: 'Has a new ETag for every answer, dates of the future, and dates that are none.',
  must: 'Has the pages once.',
  answer: behindRobots(({ target, nth }, socket) => {
    const date = ['Fri, 01 Jan 2049 00:00:00 GMT', 'yesterday', '0', '31 Feb 99999'][nth % 4];
    const fields = `ETag: "${nth}${'x'.repeat(2000)}"\r\nLast-Modified: ${date}\r\nExpires: -1\r\nDate: never\r\n`;
    reply(socket, { fields, body: page(`odd ${target}`, ...(target === '/' ? ['/1', '/2', '/3'] : [])) });
  }),
  outcome: { codes: { ok: 4 }, pages: 4 },
} satisfies Beast;
