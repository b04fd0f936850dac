import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'refresh-loop',
  does: 'Refreshes to itself and to a page that refreshes back.',
  must: 'Has both pages once.',
  answer: behindRobots(({ target }, socket) => {
    const other = target === '/' ? '/b' : '/';
    const head = `<meta http-equiv=refresh content="0;url=${target}"><meta http-equiv=refresh content="0;url=${other}">`;
    reply(socket, { body: `<title>${target}</title>${head}<a href="${other}">on ${target}</a>` });
  }),
  outcome: { codes: { ok: 2 }, pages: 2 },
} satisfies Beast;
