import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ErrorPages } from '../../src/dedupe/error-pages.js';
import { HostDuplicates } from '../../src/dedupe/host-duplicates.js';
import { KeptPages, type KeptVisit } from '../../src/dedupe/kept-pages.js';

const sha = (text: string): Uint8Array => createHash('sha256').update(text).digest();
const HOST = 3;

/** Pages by URL, with their content as words; a text gets a fingerprint that is far from all others. */
class Pages {
  readonly kept = new KeptPages();
  #visits = 0;

  visit(url: number, content: string | null, over: Partial<KeptVisit> = {}): number {
    const id = this.#visits++;
    const contentHash = content === null ? null : sha(content);
    const simhash =
      content === null
        ? null
        : Buffer.from(sha(`text of ${content}`))
            .toString('hex')
            .slice(0, 16);
    this.kept.settled({ id, url, kind: 'page', code: 'ok', contentHash, simhash, duplicateOf: -1, ...over }, HOST);
    return id;
  }

  /** The URL that holds this content, and the one that holds its text. */
  holder(content: string): [exact: number, near: number] {
    const visit = this.kept.content.visitOf(sha(content));
    const print = Buffer.from(sha(`text of ${content}`));
    const near = this.kept.near.find(print.readUInt32BE(0), print.readUInt32BE(4), 999);
    return [visit < 0 ? -1 : this.kept.content.urlOf(visit), near];
  }
}

describe('pages that are kept', () => {
  it('belong to the URL that brought them first', () => {
    const pages = new Pages();
    pages.visit(1, 'one');
    pages.visit(2, 'one', { duplicateOf: 1 });
    expect(pages.holder('one')).toEqual([1, 1]);
    expect(pages.holder('two')).toEqual([-1, -1]);
  });

  it('are held only while they are the page of their URL', () => {
    const pages = new Pages();
    pages.visit(1, 'one');
    pages.visit(1, 'two');
    expect([pages.holder('one'), pages.holder('two')]).toEqual([[-1, -1], [1, 1]]); // biome-ignore format: short
    pages.visit(2, 'one');
    expect(pages.holder('one')).toEqual([2, 2]);
    pages.visit(1, 'one', { duplicateOf: 2 });
    expect([pages.holder('one'), pages.holder('two')]).toEqual([[2, 2], [-1, -1]]); // biome-ignore format: short
  });

  it('come back to a URL whose page changed there and back', () => {
    const pages = new Pages();
    for (const content of ['one', 'two', 'one']) pages.visit(1, content);
    expect([pages.holder('one'), pages.holder('two')]).toEqual([[1, 1], [-1, -1]]); // biome-ignore format: short
  });

  it('stay through visits that find them unchanged, and through failures', () => {
    const pages = new Pages();
    const first = pages.visit(1, 'one');
    pages.visit(1, 'one');
    pages.visit(1, null, { code: 'not-modified' });
    pages.visit(1, null, { code: 'read.timeout' });
    expect(pages.holder('one')).toEqual([1, 1]);
    expect(pages.kept.content.visitOf(sha('one'))).toBe(first);
  });

  it.each(['http.gone', 'redirect', 'http.soft404'] as const)('go with an answer of %s', (code) => {
    const pages = new Pages();
    pages.visit(1, 'one');
    pages.visit(1, null, { code });
    expect(pages.holder('one')).toEqual([-1, -1]);
  });

  it('have the fingerprint of their latest reading', () => {
    const pages = new Pages();
    const visit = pages.visit(1, 'one');
    pages.kept.reread(visit, '00000000000000ff');
    expect(pages.holder('one')).toEqual([1, -1]);
    expect(pages.kept.near.find(0, 0xff, 2)).toBe(1);
    pages.visit(1, 'two');
    pages.kept.reread(visit, '00000000000000ff'); // of a page that is no longer there
    expect(pages.kept.near.find(0, 0xff, 2)).toBe(-1);
  });

  it('teach the error page of their host', () => {
    const pages = new Pages();
    pages.visit(1, 'sorry', { code: 'http.gone', simhash: null });
    expect(pages.kept.errors.isError(HOST, null, sha('sorry'))).toBe(true);
    expect(pages.kept.errors.isError(HOST + 1, null, sha('sorry'))).toBe(false);
  });
});

describe('the error page of a host', () => {
  it('is known by its text, or by its body where that is too short; the latest counts', () => {
    const errors = new ErrorPages();
    expect([errors.isKnown(5), errors.isError(5, { hi: 0, lo: 0 }, sha(''))]).toEqual([false, false]);
    errors.learn(5, { hi: 1, lo: 2 }, sha('a'));
    expect(errors.isError(5, { hi: 1, lo: 5 }, sha('b'))).toBe(true);
    expect(errors.isError(5, { hi: 1, lo: 0xf0 }, sha('b'))).toBe(false);
    expect(errors.isError(5, null, sha('a'))).toBe(true);
    errors.learn(5, null, sha('c'));
    expect([errors.isError(5, null, sha('a')), errors.isError(5, null, sha('c'))]).toEqual([false, true]);
  });
});

describe('the duplicates of a host', () => {
  const limits = { ratio: 0.8, window: 20 };

  it('raise the alarm when more than the limit of its last new pages are such, and not before', () => {
    const hosts = new HostDuplicates(limits);
    for (let i = 0; i < 10; i++) hosts.add(1, -1);
    const alarms: number[] = [];
    for (let i = 0; i < 20; i++) {
      hosts.add(1, 1);
      if (hosts.isSuspect(1)) alarms.push(i + 1);
    }
    expect(alarms[0]).toBe(17); // 17 of the last 20 are more than 16
    for (let i = 0; i < 4; i++) hosts.add(1, -1);
    expect(hosts.isSuspect(1)).toBe(false);
    expect([hosts.pages(1), hosts.duplicates(1)]).toEqual([34, 20]);
  });

  it('are those of its last pages, as a look at all of them says', () => {
    const hosts = new HostDuplicates(limits);
    const all: number[] = [];
    for (let i = 0; i < 2_000; i++) {
      const duplicate = Math.imul(i + (i >> 5), 0x9e3779b1) >>> 28 < i % 23 ? 1 : 0;
      all.push(duplicate);
      hosts.add(1, duplicate ? 1 : -1);
      const last = all.slice(-20).reduce((a, b) => a + b, 0);
      expect(hosts.isSuspect(1)).toBe(all.length >= 20 && last > 16);
      expect(hosts.isRising(1)).toBe(last >= 2 && last > 0.4 * Math.min(all.length, 20));
    }
  });

  it('show a mirror by the share of one other host, and no error page in a mirror', () => {
    const hosts = new HostDuplicates(limits);
    for (const of of [2, 2, -1, 2, 4]) hosts.add(1, of);
    expect(hosts.mirrorOf(1)).toEqual({ of: 2, copies: 3, pages: 5 });
    expect([...hosts.mirrors()]).toEqual([{ host: 1, of: 2, copies: 3, pages: 5 }]);
    expect(hosts.isRising(1)).toBe(false);
    for (let i = 0; i < 2; i++) hosts.add(1, 1);
    expect(hosts.mirrorOf(1)).toBeNull(); // 3 of 7
    expect([hosts.mirrorOf(2), hosts.pages(9)]).toEqual([null, 0]);
  });
});
