/** RFC 4180, strictly. Throws where the text is none. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  for (let match = cells.exec(text); match !== null; match = cells.exec(text)) {
    row.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === ',') continue;
    rows.push(row);
    row = [];
    if (cells.lastIndex === text.length) return rows;
  }
  throw new Error(`not CSV after row ${rows.length}`);
}
