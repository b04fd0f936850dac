import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'type-lies',
  does: 'Calls a picture HTML and HTML a picture, and says nothing at all.',
  must: 'Reads what is a page, and leaves the rest.',
  answer: behindRobots(({ target }, socket) => {
    if (target === '/') reply(socket, { body: page('types', '/png', '/html', '/none') });
    else if (target === '/png') reply(socket, { body: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') });
    else if (target === '/html') reply(socket, { type: 'image/gif', body: page('a gif') });
    else socket.end('HTTP/1.1 200 OK\r\n\r\n<title>nothing said</title>');
  }),
  outcome: { codes: { ok: 3, 'body.type': 1 }, pages: 3 },
} satisfies Beast;
