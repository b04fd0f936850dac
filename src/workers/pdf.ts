/** PDF by unpdf (a build of Mozilla's PDF.js): loaded with the first document, in the thread that reads documents. */
import type { DocumentHandler, HandledDocument, HandlerAnswer } from '../parse/documents.js';

/** Characters of text after which the rest of a document is left. */
const MAX_TEXT = 20_000_000;
const MAX_LINKS = 10_000;

/** The parts of PDF.js that are used. */
interface PdfPage {
  getTextContent(): Promise<{ items: readonly { str?: string; hasEOL?: boolean }[] }>;
  getAnnotations(): Promise<readonly { subtype?: string; url?: string; unsafeUrl?: string }[]>;
  cleanup(): boolean;
}

/** @param maxPages of a document that are read */
export function pdfHandler(maxPages: number): DocumentHandler {
  return async ({ bytes }: HandledDocument): Promise<HandlerAnswer> => {
    const { getDocumentProxy, getMeta } = await import('unpdf');
    // PDF.js takes the buffer for itself
    const pdf = await getDocumentProxy(Uint8Array.from(bytes), { isEvalSupported: false, verbosity: 0 });
    try {
      const { info } = await getMeta(pdf);
      const pages: string[] = [];
      const links = new Set<string>();
      const count = Math.min(pdf.numPages, maxPages);
      for (let n = 1, length = 0; n <= count && length < MAX_TEXT; n++) {
        const page = (await pdf.getPage(n)) as unknown as PdfPage;
        const text = textOf((await page.getTextContent()).items);
        pages.push(text);
        length += text.length;
        for (const { subtype, url, unsafeUrl } of await page.getAnnotations()) {
          const link = url ?? unsafeUrl; // the second as written: relative ones are no `url`
          if (subtype === 'Link' && link !== undefined && links.size < MAX_LINKS) links.add(link);
        }
        page.cleanup();
      }
      const fields = { ...fieldsOf(info as Record<string, unknown>), pages: pdf.numPages };
      const { Title: title, Language: language } = info as Record<string, unknown>;
      return {
        ...{ text: pages.filter((text) => text !== '').join('\n'), links: [...links], fields },
        ...{ title: typeof title === 'string' ? title : '', language: typeof language === 'string' ? language : '' },
      };
    } finally {
      await pdf.destroy();
    }
  };
}

/** Lines of a page. A word that a hyphen divides at the end of a line stays divided: nobody can tell which are. */
function textOf(items: readonly { str?: string; hasEOL?: boolean }[]): string {
  let text = '';
  for (const { str = '', hasEOL = false } of items) text += hasEOL ? `${str}\n` : str;
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function fieldsOf(info: Record<string, unknown>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, key] of [
    ['author', 'Author'],
    ['subject', 'Subject'],
    ['keywords', 'Keywords'],
  ]) {
    const value = info[key];
    if (typeof value === 'string' && value.trim() !== '') fields[name] = value.trim();
  }
  return fields;
}
