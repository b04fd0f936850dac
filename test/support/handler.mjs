// A handler as a user writes one. What it does is what the document says.
/** @type {unknown[]} */
const hoard = [];
/** @type {import("../../src/parse/documents.js").DocumentHandler} */
export default async function read({ bytes, url }) {
  const text = Buffer.from(bytes).toString();
  const [word] = text.split('\n');
  if (word === 'throw') throw new Error('cannot read this');
  if (word === 'hang') for (;;);
  if (word === 'wait') await new Promise(() => {});
  if (word === 'exit') process.exit(3);
  if (word === 'later') setTimeout(() => { throw new Error('too late'); }, 1); // biome-ignore format: one line
  if (word === 'heap') for (;;) hoard.push(Array(100_000).fill({}));
  if (word === 'buffers') for (;;) hoard.push(Buffer.alloc(32 * 1024 * 1024, 1));
  if (word === 'later') await new Promise(() => {});
  return { text, title: 'handled', links: ['/from-handler'], fields: { url } };
}
