/** Content-Type headers (MIME Sniffing Standard 4.4 and 4.5). */

export interface MimeType {
  /** `type/subtype` in lower case. */
  essence: string;
  /** First value of each parameter; names in lower case. */
  parameters: Map<string, string>;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Longer headers are not read further. */
const MAX_LENGTH = 8192;

const trimSpace = (text: string): string => text.replace(/^[\t\n\r ]+/, '').replace(/[\t\n\r ]+$/, '');

/** Parses a header value; null if it names no type. Everything after a broken parameter is still read. */
export function parseMimeType(header: string): MimeType | null {
  const input = trimSpace(header.slice(0, MAX_LENGTH));
  const semicolon = input.indexOf(';');
  const essence = (semicolon < 0 ? input : input.slice(0, semicolon)).replace(/[\t\n\r ]+$/, '');
  const slash = essence.indexOf('/');
  if (slash < 0 || !TOKEN.test(essence.slice(0, slash)) || !TOKEN.test(essence.slice(slash + 1))) return null;
  const parameters = new Map<string, string>();
  if (semicolon >= 0) readParameters(input, semicolon, parameters);
  return { essence: essence.toLowerCase(), parameters };
}

function readParameters(input: string, from: number, parameters: Map<string, string>): void {
  let p = from;
  while (p < input.length) {
    p++; // the semicolon
    while (p < input.length && '\t\n\r '.includes(input[p])) p++;
    const nameStart = p;
    while (p < input.length && input[p] !== ';' && input[p] !== '=') p++;
    const name = input.slice(nameStart, p).toLowerCase();
    if (p >= input.length) return;
    if (input[p] === ';') continue;
    p++; // the equals sign
    let value: string;
    if (input[p] === '"') {
      const quoted = readQuoted(input, p + 1);
      value = quoted.value;
      const next = input.indexOf(';', quoted.end);
      p = next < 0 ? input.length : next;
    } else {
      const next = input.indexOf(';', p);
      value = input.slice(p, next < 0 ? input.length : next).replace(/[\t\n\r ]+$/, '');
      p = next < 0 ? input.length : next;
      if (value === '') continue;
    }
    if (TOKEN.test(name) && VALUE.test(value) && !parameters.has(name)) parameters.set(name, value);
  }
}

function readQuoted(input: string, from: number): { value: string; end: number } {
  let value = '';
  let p = from;
  for (; p < input.length && input[p] !== '"'; p++) {
    if (input[p] === '\\' && p + 1 < input.length) p++;
    value += input[p];
  }
  return { value, end: Math.min(p + 1, input.length) };
}

/** The one spelling of a type (4.5). */
export function serializeMimeType(type: MimeType): string {
  let text = type.essence;
  for (const [name, value] of type.parameters) {
    text += `;${name}=`;
    text += TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return text;
}

/** The `charset` of a header, however the rest of it is broken (`foo=bar; charset=x`, two types in one header). Null if it
 * has none. */
export function charsetParameter(header: string): string | null {
  const value = parseMimeType(header)?.parameters.get('charset');
  if (value) return value;
  const unquoted = header
    .slice(0, 1000)
    .replace(/"(?:[^"\\]|\\.)*"(?=[\s;,]|$)/g, (text) => (text.includes(';') ? '""' : text));
  const found = /(?:^|[;\s])charset[\t ]*=[\t ]*"?([^\s;,"']+)/i.exec(unquoted);
  return found === null ? null : found[1];
}
