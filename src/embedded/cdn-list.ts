/** Which addresses are those of a CDN: the list that comes with the program, or the user's own. */
import { readFileSync } from 'node:fs';
import { UserError } from '../errors.js';
import { AddressRanges } from '../fetch/address-ranges.js';
import { fileFault } from '../file-fault.js';

/** The list that is shipped, with its date and sources. */
const SHIPPED = new URL('../../data/cdn-ranges.txt', import.meta.url);

/**
 * @param path the user's list, or null for the one that is shipped
 * @throws UserError (usage) for a list that cannot be read
 */
export function cdnAddresses(path: string | null): (address: string) => boolean {
  const ranges = AddressRanges.parse(read(path), path === null ? 'data/cdn-ranges.txt' : `politeness.cdn ${path}`);
  return (address) => ranges.has(address);
}

function read(path: string | null): string {
  try {
    return readFileSync(path ?? SHIPPED, 'utf8');
  } catch (error) {
    throw new UserError(
      `The list of CDN addresses cannot be read: ${fileFault(error)}. Give politeness.cdn a file that exists.`,
      2,
    );
  }
}
