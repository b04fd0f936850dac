/**
 * The HTTP head as the archive stores it: what other tools split at the first empty line and then believe.
 *
 * The payload is stored without its transfer coding (WARC 1.1, 6.3.2: the entity-body), so a head that still announced
 * one would make a replay tool decode it a second time, and a wrong Content-Length would make it cut or wait.
 */

const RENAMED = 'X-Archive-Orig-';

/**
 * Returns `head` itself where nothing had to change. Otherwise: `Transfer-Encoding` becomes
 * `X-Archive-Orig-Transfer-Encoding`; a `Content-Length` that is repeated or is not `payloadLength` becomes
 * `X-Archive-Orig-Content-Length` and a right one is put beside it; lines end in CRLF; the first empty line is the end.
 *
 * @param payloadLength bytes of the stored payload, or null to leave Content-Length alone (a 304 announces the length
 * of the body that it does not send, RFC 9110 8.6).
 */
export function storedHead(head: Buffer, payloadLength: number | null): Buffer {
  const lines: string[] = [];
  let clean = splitLines(head.toString('latin1'), lines);
  const lengths: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const first = lines[i].charCodeAt(0) | 0x20;
    if (first !== 0x74 && first !== 0x63) continue; // neither t nor c
    const colon = lines[i].indexOf(':');
    const name = lines[i].slice(0, colon).trimEnd().toLowerCase();
    if (name === 'content-length') lengths.push(i);
    if (name !== 'transfer-encoding') continue;
    lines[i] = RENAMED + lines[i];
    clean = false;
  }
  if (payloadLength !== null && lengths.length > 0 && !isRight(lines, lengths, payloadLength)) {
    for (const i of lengths) lines[i] = RENAMED + lines[i];
    lines.splice(lengths[0], 0, `Content-Length: ${payloadLength}`);
    clean = false;
  }
  return clean ? head : Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function isRight(lines: readonly string[], lengths: readonly number[], payloadLength: number): boolean {
  if (lengths.length !== 1 || isContinued(lines, lengths[0] + 1)) return false;
  const line = lines[lengths[0]];
  return line.slice(line.indexOf(':') + 1).trim() === String(payloadLength);
}

/** RFC 9112 5.2: a line that begins with white space continues the value before it, so a length that looks right on its
 * own line is not what a reader takes it for. Readers that skip a line without a colon join what follows it as well. */
function isContinued(lines: readonly string[], next: number): boolean {
  for (let i = next; i < lines.length; i++) {
    if (lines[i].startsWith(' ') || lines[i].startsWith('\t')) return true;
    if (lines[i].includes(':')) return false;
  }
  return false;
}

/** Appends the lines before the first empty one. True if the text is exactly these lines, each with CRLF, and the empty
 * line. */
function splitLines(text: string, lines: string[]): boolean {
  let clean = true;
  let at = 0;
  while (at < text.length) {
    const lf = text.indexOf('\n', at);
    const end = lf === -1 ? text.length : lf;
    const crlf = end > at && text.charCodeAt(end - 1) === 13;
    if (lf === -1 || !crlf) clean = false;
    const line = text.slice(at, crlf ? end - 1 : end);
    at = end + 1;
    if (line !== '') lines.push(line);
    else if (lines.length > 0) return clean && at === text.length;
    else clean = false; // an empty line before the status line
  }
  return false;
}
