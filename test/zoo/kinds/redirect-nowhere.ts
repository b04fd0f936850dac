import { type Beast, behindRobots, page, redirect, reply } from '../beast.js';

const PLACES: Record<string, string> = {
  '/mail': 'mailto:a@b.test',
  '/script': 'javascript:alert(1)',
  '/broken': 'http://[::1',
  '/file': 'file:///etc/passwd',
};

export default {
  name: 'redirect-nowhere',
  does: 'Redirects to what is no URL, or not of the web.',
  must: 'Ends each in a code of its own.',
  answer: behindRobots(({ target }, socket) => {
    const links = ['/mail', '/script', '/broken', '/file', '/none'];
    if (target === '/') reply(socket, { body: page('doors', ...links) });
    else if (target === '/none') reply(socket, { status: 302 });
    else redirect(socket, PLACES[target] ?? '/');
  }),
  outcome: { codes: { ok: 1, 'redirect.invalid': 4, 'http.status': 1 }, pages: 1 },
} satisfies Beast;
