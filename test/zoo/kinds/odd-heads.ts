import { type Beast, behindRobots, page } from '../beast.js';

export default {
  name: 'odd-heads',
  does: 'Sends folded lines, lines without a colon, bare line feeds, Latin-1 and no reason.',
  must: 'Has all pages.',
  answer: behindRobots(({ target }, socket) => {
    const links = target === '/' ? ['/fold', '/colon', '/lf', '/latin', '/reason'] : [];
    const body = page(`head ${target}`, ...links);
    const length = `Content-Length: ${body.length}`;
    const heads: Record<string, string> = {
      '/fold': `HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\n\tc\r\n${length}\r\n\r\n`,
      '/colon': `HTTP/1.1 200 OK\r\nno colon here\r\n${length}\r\n\r\n`,
      '/lf': `HTTP/1.1 200 OK\n${length}\n\n`,
      '/latin': `HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\n${length}\r\n\r\n`,
    };
    socket.write(Buffer.from((heads[target] ?? `HTTP/1.1 200\r\n${length}\r\n\r\n`) + body, 'latin1'));
  }),
  outcome: { codes: { ok: 6 }, pages: 6 },
} satisfies Beast;
