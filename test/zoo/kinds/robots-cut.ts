import { type Beast, page, reply } from '../beast.js';

export default {
  name: 'robots-cut',
  does: 'Closes in the middle of its robots.txt.',
  must: 'Fetches nothing: the part that is missing may be the one that forbids.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt')
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nAllow: /\n');
    else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'ok', codes: {}, pages: 0 },
} satisfies Beast;
