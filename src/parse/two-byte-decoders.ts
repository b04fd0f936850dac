/**
 * The Encoding Standard's decoders for euc-kr, shift_jis and euc-jp (13.1, 12.3, 12.1).
 *
 * Node's TextDecoder has ICU's: its euc-kr lacks the 8,822 syllables of code page 949 that Korean pages use, its shift_jis
 * swallows the ASCII byte after a broken lead byte, its euc-jp knows 21 characters too many. The tables are taken from
 * what is right there (ICU's pairs, iconv-lite's code page 949) when an encoding is first met; the loops are the
 * standard's.
 */
import iconv from 'iconv-lite';

const REPLACEMENT = 0xfffd;
const LEAD = 0x81;
const TRAIL = 0x40;
const ROW = 0xff - TRAIL;

/** Code units of `lead, trail` pairs; 0 where there is none. */
type PairTable = Uint16Array;

function pairTable(decodePair: (pair: Buffer) => string): PairTable {
  const table = new Uint16Array((0xff - LEAD) * ROW);
  const pair = Buffer.alloc(2);
  for (pair[0] = LEAD; pair[0] < 0xff; pair[0]++) {
    for (pair[1] = TRAIL; pair[1] < 0xff; pair[1]++) {
      const text = decodePair(pair);
      if (text.length === 1 && text.charCodeAt(0) !== REPLACEMENT) table[slot(pair[0], pair[1])] = text.charCodeAt(0);
    }
  }
  return table;
}

const slot = (lead: number, trail: number): number => (lead - LEAD) * ROW + trail - TRAIL;

const tables = new Map<string, PairTable>();

function tableOf(name: string, make: () => PairTable): PairTable {
  let table = tables.get(name);
  if (table === undefined) {
    table = make();
    tables.set(name, table);
  }
  return table;
}

function icuTable(name: string): PairTable {
  return tableOf(name, () => {
    const decoder = new TextDecoder(name);
    return pairTable((pair) => decoder.decode(pair));
  });
}

const textOf = (units: Uint16Array, length: number): string =>
  Buffer.from(units.buffer, 0, length * 2).toString('utf16le');

/** Decodes bytes of which those from 0x80 on come in pairs; `single` gives the code unit of a byte that stands alone, or 0. */
function decodePairs(bytes: Buffer, table: PairTable, single: (byte: number) => number): string {
  const units = new Uint16Array(bytes.length * 2);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i];
    const alone = lead < 0x80 ? lead : single(lead);
    if (lead < 0x80 || alone !== 0) {
      units[at++] = alone;
      continue;
    }
    const trail = i + 1 < bytes.length ? bytes[i + 1] : -1;
    const inTable = lead >= LEAD && lead < 0xff && trail >= TRAIL && trail < 0xff;
    const unit = inTable ? table[slot(lead, trail)] : 0;
    units[at++] = unit === 0 ? REPLACEMENT : unit;
    // an ASCII byte after a broken lead is itself; anything else goes with it
    if (trail >= 0x80 ? lead >= LEAD && lead < 0xff : unit !== 0) i++;
  }
  return textOf(units, at);
}

export function decodeEucKr(bytes: Buffer): string {
  const table = tableOf('euc-kr', () => pairTable((pair) => iconv.decode(pair, 'cp949')));
  return decodePairs(bytes, table, () => 0);
}

export function decodeShiftJis(bytes: Buffer): string {
  return decodePairs(bytes, icuTable('shift_jis'), (byte) => {
    if (byte === 0x80) return 0x80;
    return byte >= 0xa1 && byte <= 0xdf ? 0xff61 + byte - 0xa1 : 0;
  });
}

/** euc-jp: as Node has it, without rows 0xF3 and 0xF4 of the three-byte plane, which the standard's index leaves empty. */
export function decodeEucJp(bytes: Buffer): string {
  const decoder = new TextDecoder('euc-jp');
  let text = '';
  let start = 0;
  for (let i = bytes.indexOf(0x8f); i >= 0; i = bytes.indexOf(0x8f, i + 1)) {
    if ((bytes[i + 1] !== 0xf3 && bytes[i + 1] !== 0xf4) || !(bytes[i + 2] >= 0xa1)) continue;
    text += `${decoder.decode(bytes.subarray(start, i))}\ufffd`;
    start = i + 3;
    i += 2;
  }
  return text + decoder.decode(bytes.subarray(start));
}
