import { type Beast, behindRobots, reply } from '../beast.js';

const TEXT = Array.from({ length: 120 }, (_, i) => `Sentence ${i} says something about the number ${i * i}.`).join(' ');

export default {
  name: 'near-copies',
  does: 'Has fifteen pages that differ in one word.',
  must: 'Fetches them, and finds them alike.',
  answer: behindRobots(({ target }, socket) => {
    const links = target === '/' ? Array.from({ length: 15 }, (_, i) => `<a href="/${i}">${i}</a>`).join('') : '';
    reply(socket, { body: `<title>copy</title>${links}<p>${TEXT} The word is ${target.slice(1)}.</p>` });
  }),
  outcome: { codes: { ok: 16 }, pages: 16 },
} satisfies Beast;
