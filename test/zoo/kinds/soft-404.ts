import { type Beast, behindRobots, reply } from '../beast.js';

export default {
  name: 'soft-404',
  does: 'Answers every URL with the same words, 200 and two new links.',
  must: 'Keeps one page, and stops at the budget.',
  answer: behindRobots(({ nth }, socket) => {
    const links = `<a href="/x${nth}">a</a> <a href="/y${nth}">b</a>`;
    reply(socket, {
      body: `<title>Oops</title><p>This page could not be found. ${'Try another one. '.repeat(30)}${links}`,
    });
  }),
  outcome: { codes: { ok: [10, 40] }, pages: [10, 40] },
} satisfies Beast;
