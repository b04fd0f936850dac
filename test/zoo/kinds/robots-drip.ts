import { type Beast, drip, page, reply } from '../beast.js';

export default {
  name: 'robots-drip',
  does: 'Sends its robots.txt a byte at a time.',
  must: 'Fetches nothing.',
  answer: ({ target, host }, socket) => {
    if (target === '/robots.txt') {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      drip(socket, 'User-agent: *\nAllow: /\n');
    } else reply(socket, { body: page(`${target} of ${host}`, '/a', '/secret/b') });
  },
  outcome: { robots: 'read.slow', codes: {}, pages: 0 },
} satisfies Beast;
