import { gzipSync } from 'node:zlib';
import { type Beast, behindRobots, page, reply } from '../beast.js';

export default {
  name: 'coding-lies',
  does: 'Labels what is not coded, codes what is not labelled, and names codings that nobody knows.',
  must: 'Has what can be read.',
  answer: behindRobots(({ target }, socket) => {
    const coded = (coding: string, body: string | Buffer) =>
      reply(socket, { fields: `Content-Encoding: ${coding}\r\n`, body });
    if (target === '/') reply(socket, { body: page('codings', '/plain', '/zipped', '/other', '/junk') });
    else if (target === '/plain') coded('gzip', page('plain'));
    else if (target === '/zipped') reply(socket, { body: gzipSync(page('zipped')) });
    else if (target === '/other') coded('aes128gcm', Buffer.alloc(500, '\x01\x82'));
    else coded('gzip', Buffer.from('1f8b0800ffffffffffffffff', 'hex'));
  }),
  outcome: { codes: { ok: 3, 'decode.failed': 2 }, pages: 3 },
} satisfies Beast;
