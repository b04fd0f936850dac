// A handler of text/csv: it says what the text, the title and the links of a table are, and how many rows it has.
//
// It runs in a thread of its own, with caps on time and memory: it may throw, hang or die, and that costs one document.

/** @type {import('saunter').DocumentHandler} */
export default function readCsv({ bytes, url }) {
  const rows = new TextDecoder()
    .decode(bytes)
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const cells = rows.flat();
  return {
    title: `Table ${url.split('/').at(-1)}`,
    text: rows.map((row) => row.join(' | ')).join('\n'),
    links: cells.filter((cell) => /^https?:\/\//.test(cell)),
    fields: { columns: rows[0]?.join(' ') ?? '', rows: rows.length - 1 },
  };
}
