import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'odd-names',
  does: 'Names things like the insides of JavaScript objects, and puts control characters everywhere.',
  must: 'Has the pages; nothing else happens.',
  answer: behindRobots(({ target }, socket) => {
    const names = ['/__proto__', '/constructor', '/hasOwnProperty?__proto__[x]=1', '/toString'];
    const fields = '__proto__: x\r\nconstructor: y\r\nContent-Type: __proto__/constructor\r\n';
    const title = '\x1b]0;pwned\x07\x1b[31m=cmd()\x9b2J';
    const data =
      '<script type="application/ld+json">{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}</script>';
    const body = `<title>${title} ${target}</title>${data}${names.map((name) => `<a href="${name}">${name}</a>`).join('')}`;
    reply(socket, { body, fields: target === '/' ? '' : fields });
  }),
  outcome: { codes: { ok: [1, 5], 'body.type': [0, 4] }, pages: [1, 5] },
} satisfies Beast;
