import { type Beast, behindRobots, page, reply } from '../beast.js';

const HALVES: Record<string, string> = {
  '/lt': `<p>a ${'<'.repeat(2_000_000)}`,
  '/quote': `<p>b <a href="${'x'.repeat(2_000_000)}`,
  '/amp': `<p>c ${'&'.repeat(2_000_000)}`,
  '/comment': `<p>d ${'<!-- '.repeat(400_000)}`,
  '/attributes': `<p>e <a ${'x=y '.repeat(500_000)}>`,
};

export default {
  name: 'half-tags',
  does: 'Sends megabytes of < and of quotes that never close.',
  must: 'Reads them in linear time.',
  answer: behindRobots(({ target }, socket) => {
    if (target === '/') reply(socket, { body: page('halves', '/lt', '/quote', '/amp', '/comment', '/attributes') });
    else reply(socket, { body: HALVES[target] });
  }),
  outcome: { codes: { ok: 6 }, pages: 6 },
} satisfies Beast;
