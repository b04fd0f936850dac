/** Small PDF files, written by hand (ISO 32000-1, 7.5): pages of lines, perhaps with a link. */
export interface PdfPage {
  lines: readonly string[];
  link?: string;
}

/** Texts must be ASCII without parentheses. */
export function pdf(pages: readonly PdfPage[], title = 'A title'): Buffer {
  const objects: string[] = [];
  const add = (object: string): number => objects.push(object);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(''); // the pages, once they are known
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  add(`<< /Title (${title}) /Author (Ada) >>`);
  const kids = pages.map(({ lines, link }) => {
    const text = `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
    const contents = add(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
    const uri = `<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link}) >> >>`;
    const annotations = link === undefined ? '' : `/Annots [${add(uri)} 0 R]`;
    const resources = '/Resources << /Font << /F1 3 0 R >> >>';
    return `${add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${contents} 0 R ${annotations} >>`)} 0 R`;
  });
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1');
}
