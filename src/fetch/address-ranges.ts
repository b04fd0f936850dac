/** A set of address ranges read from text: `ADDRESS/BITS` a line, `#` begins a comment. */
import { UserError } from '../errors.js';
import { type IpBytes, parseCidr, parseIp } from './ip.js';

/** Ranges of one length in one family: the bases, as text of the bytes. */
interface Group {
  readonly bytes: 4 | 16;
  readonly bits: number;
  readonly bases: Set<string>;
}

export class AddressRanges {
  readonly #groups = new Map<string, Group>();
  size = 0;

  /**
   * Reads a list.
   * @param name what messages call it
   * @throws UserError (usage) naming the line that is none
   */
  static parse(text: string, name: string): AddressRanges {
    const ranges = new AddressRanges();
    for (const [i, line] of text.split('\n').entries()) {
      const entry = line.replace(/#.*/, '').trim();
      if (entry !== '' && !ranges.#add(entry)) {
        throw new UserError(
          `${name}, line ${i + 1}: "${entry.slice(0, 60)}" is no address range; write it as 192.0.2.0/24 or 2001:db8::/32.`,
          2,
        );
      }
    }
    return ranges;
  }

  #add(entry: string): boolean {
    const range = parseCidr(entry);
    if (range === null) return false;
    const bytes = range.base.length as Group['bytes'];
    const key = `${bytes}/${range.bits}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { bytes, bits: range.bits, bases: new Set() };
      this.#groups.set(key, group);
    }
    group.bases.add(range.base.join());
    this.size++;
    return true;
  }

  /** Does one of the ranges contain the address? About 1 us for each length of prefix. */
  has(address: string): boolean {
    const ip = parseIp(address);
    if (ip === null) return false;
    for (const { bytes, bits, bases } of this.#groups.values()) {
      if (bytes === ip.length && bases.has(prefixOf(ip, bits).join())) return true;
    }
    return false;
  }
}

/** The address with the bits beyond the prefix cleared. */
const prefixOf = (ip: IpBytes, bits: number): IpBytes =>
  ip.map((byte, i) => byte & (0xff00 >> Math.min(Math.max(bits - 8 * i, 0), 8)) & 0xff);
