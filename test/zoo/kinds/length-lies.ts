import { type Beast, behindRobots, page, reply, TRIES } from '../beast.js';

export default {
  name: 'length-lies',
  does: 'Announces lengths that are too small, too large, doubled, no number, or two at once.',
  must: 'Has what can be read safely.',
  answer: behindRobots(({ target }, socket) => {
    if (target === '/') {
      reply(socket, { body: page('lengths', '/small', '/large', '/twice', '/text', '/both') });
      return;
    }
    const fields = { '/small': '10', '/large': '9000', '/twice': '60\r\nContent-Length: 60', '/text': 'sixty' }[target];
    const body = `<title>of sixty ${target}</title>`.padEnd(60, '.');
    socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${fields ?? '60\r\nContent-Length: 61'}\r\n\r\n${body}`,
    );
  }),
  outcome: { codes: { ok: 5, 'http.malformed': TRIES }, pages: 5 },
} satisfies Beast;
