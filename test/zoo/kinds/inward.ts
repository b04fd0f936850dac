import { type Beast, behindRobots, page, redirect, reply } from '../beast.js';

export default {
  name: 'inward',
  does: 'Links and redirects to addresses inside.',
  must: 'Connects to none of them.',
  answer: behindRobots(({ target }, socket) => {
    const links = ['http://169.254.169.254/latest', 'http://localhost/', 'http://[::1]/', 'http://10.0.0.1/', '/moved'];
    if (target === '/moved') redirect(socket, 'http://metadata.zoo.test/');
    else reply(socket, { body: page('doors', ...links) });
  }),
  outcome: { codes: { ok: 1, redirect: 1 }, pages: 1 },
} satisfies Beast;
