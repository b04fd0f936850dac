import { type Beast, behindRobots, fails } from '../beast.js';

export default {
  name: 'old-http',
  does: 'Answers as HTTP/0.9 did: without a head.',
  must: 'Refuses it.',
  answer: behindRobots((_, socket) => socket.end('<html><title>old</title><p>A page of 1991.</html>')),
  outcome: fails('http.malformed'),
} satisfies Beast;
