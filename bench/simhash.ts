/** `npm run bench -- simhash`: what the near-duplicate index costs a query and a page, at one and at ten million pages. */
import { freemem } from 'node:os';
import { NearIndex } from '../src/dedupe/near-index.js';

const SIZES = [1_000_000, 10_000_000];
const BLOCKS = [4, 5, 6];
const QUERIES = 20_000;
/** Bytes a page of a record and its heads, at most: what is checked against the memory that is free. */
const ROUGHLY: Readonly<Record<number, number>> = { 4: 32, 5: 120, 6: 230 };

export interface IndexCost {
  readonly pages: number;
  readonly blocks: number;
  /** CPU microseconds of one query among random pages, of which half have a neighbour, and of adding a page. */
  readonly query: number;
  readonly add: number;
  readonly bytesPerPage: number;
}

/** @param report called with each result, or with what is left out for want of memory */
export function simhashBench(report: (cost: IndexCost | { pages: number; blocks: number }) => void): void {
  for (const pages of SIZES) {
    for (const blocks of BLOCKS) {
      if (pages * ROUGHLY[blocks] > 0.8 * freemem()) report({ pages, blocks });
      else report(measure(pages, blocks));
    }
  }
}

function measure(pages: number, blocks: number): IndexCost {
  const index = new NearIndex(pages, blocks);
  const add = cpu(() => {
    for (let id = 0; id < pages; id++) index.add(word(2 * id), word(2 * id + 1), id);
  });
  let found = 0;
  const queries = (): void => {
    for (let i = 0; i < QUERIES; i++) {
      const id = i % 2 === 0 ? Math.floor((i / QUERIES) * pages) : pages + i;
      if (index.find((word(2 * id) ^ 1) >>> 0, (word(2 * id + 1) ^ 0x8001) >>> 0) >= 0) found++;
    }
  };
  queries(); // compiled
  const query = cpu(queries);
  if (found < QUERIES) throw new Error(`the index found ${found} of ${QUERIES} neighbours`);
  return { pages, blocks, query: query / QUERIES, add: add / pages, bytesPerPage: index.bytes / pages };
}

/** CPU microseconds. */
function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The n-th word of a random sequence (SplitMix32). */
function word(n: number): number {
  let z = Math.imul(n + 1, 0x9e3779b9);
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}
