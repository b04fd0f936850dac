/**
 * Node's fast slices, which its types leave out: `toString(encoding, ...)` reaches the same code by way of a switch on the
 * encoding's name, and costs half as much again on the short strings that a page has hundreds of. Unlike it
 * they throw when the end is past the buffer's.
 */
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    utf8Slice(start?: number, end?: number): string;
  }
}

export {};
