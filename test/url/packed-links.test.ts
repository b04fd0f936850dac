import { describe, expect, it } from 'vitest';
import { LinkPacker, linkUrl, returnLinks } from '../../src/url/packed-links.js';

const url = (n: number) => `http://a.test/${n}`;

describe('links that a packer lends', () => {
  it('stay as they are until they are returned, whatever is packed meanwhile', () => {
    const packer = new LinkPacker();
    const batches = Array.from({ length: 20 }, (_, n) => {
      packer.add(n, n, url(n));
      return packer.lend();
    });
    expect(batches.map((links) => linkUrl(links, 0))).toEqual(batches.map((_, n) => url(n)));
    expect(packer.count).toBe(0);
  });

  it('lie in the same memory as others that were returned', () => {
    const packer = new LinkPacker();
    const seen = new Set<ArrayBufferLike>();
    for (let n = 0; n < 100; n++) {
      packer.add(n, n, url(n));
      const links = packer.lend();
      expect(linkUrl(links, 0)).toBe(url(n));
      seen.add(links.text.buffer).add(links.words.buffer);
      returnLinks(links);
    }
    // two batches, since one is lent before the next is begun
    expect(seen.size).toBeLessThanOrEqual(4);
  });

  it('of a huge page leave nothing behind', () => {
    const packer = new LinkPacker();
    const long = `http://a.test/${'x'.repeat(60_000)}`;
    for (let n = 0; n < 200; n++) packer.add(n, n, long);
    const huge = packer.lend();
    expect(huge.text.length).toBe(200 * long.length);
    returnLinks(huge);
    for (let n = 0; n < 20; n++) {
      packer.add(n, n, url(n));
      const links = packer.lend();
      expect(links.text.buffer.byteLength).toBeLessThan(1_000_000);
      returnLinks(links);
    }
  });

  it('are shared between threads, and copies are not', () => {
    const packer = new LinkPacker();
    packer.add(1, 2, url(1));
    expect(packer.take().text.buffer).toBeInstanceOf(ArrayBuffer);
    packer.add(1, 2, url(2));
    const links = packer.lend();
    const there = structuredClone(links);
    returnLinks(there);
    packer.add(3, 4, url(3));
    expect(linkUrl(packer.lend(), 0)).toBe(url(3));
    packer.add(5, 6, url(5));
    // the room that was returned through its copy is in use again
    expect(packer.lend().text.buffer).toBe(links.text.buffer);
  });
});
