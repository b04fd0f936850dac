import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'charset-lies',
  does: 'Declares one charset and writes another.',
  must: 'Has all pages.',
  answer: behindRobots(({ target }, socket) => {
    const charset = { '/a': 'utf-8', '/b': 'utf-16', '/c': 'shift_jis', '/d': 'x-nonsense' }[target] ?? 'iso-8859-1';
    const links = target === '/' ? ['/a', '/b', '/c', '/d'] : [];
    const body = Buffer.from(page(`caf\xe9 \x80\xff ${target}`, ...links), 'latin1');
    reply(socket, { type: `text/html; charset=${charset}`, body });
  }),
  outcome: { codes: { ok: 5 }, pages: 5 },
} satisfies Beast;
