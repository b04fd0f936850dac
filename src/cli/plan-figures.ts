/**
 * The arithmetic of a crawl (DESIGN 12): from what is wanted to rates, hosts, memory, disk, bandwidth and machines. Pure.
 * Figures are in seconds, bytes, bits a second and counts; docs/plan.md shows where each comes from.
 */
import { bloomSize, bloomSizeForBits } from '../dedupe/bloom.js';
import { blocksFor } from '../dedupe/near-index.js';
import { freshness } from '../revisit/freshness.js';
import type { Inputs } from './plan-inputs.js';

const DAY = 86_400;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;
/** What memory holds of a known URL, and more of one that is kept (DESIGN 4, Memory), bytes. */
const PER_URL = 29;
const PER_PAGE = 81;
const FINGERPRINT = 64;
const NEAR = 3;

export type Figures = ReturnType<typeof figuresOf>;

export function figuresOf(inputs: Inputs) {
  const rate = inputs.pages / seconds(inputs.period);
  const peak = rate * inputs.peak;
  const kept = Number.isNaN(inputs.kept) ? inputs.pages : inputs.kept;
  return {
    rate: { pagesPerSecond: rate, peak, pagesPerDay: rate * DAY, serialSeconds: inputs.pages / 10 },
    hosts: hosts(inputs, rate, peak),
    fetches: {
      inFlight: rate * seconds(inputs['fetch-time']),
      lookupsPerSecond: rate,
      recursionsPerSecond: rate * (1 - inputs['dns-hits']),
    },
    bandwidth: bandwidth(inputs, rate, peak),
    volume: volume(inputs, rate),
    seen: seen(inputs),
    near: near(kept, peak),
    memory: { urls: inputs.urls * PER_URL, pages: kept * PER_PAGE, all: inputs.urls * PER_URL + kept * PER_PAGE },
    reach: reach(inputs),
    machines: machines(inputs, rate),
    freshness: { fresh: freshness(inputs.changes), savedBy304: inputs['page-size'] / inputs['not-modified'] },
  };
}

const seconds = (ms: number): number => ms / 1000;

/** From one hit on a host to the next, s: the fetch, and the largest of the delay and so many times the fetch. */
export function hostPeriod(inputs: Pick<Inputs, 'gap' | 'fetch-time' | 'delay' | 'factor'>): number {
  if (!Number.isNaN(inputs.gap)) return seconds(inputs.gap);
  const fetch = seconds(inputs['fetch-time']);
  return fetch + Math.max(seconds(inputs.delay), inputs.factor * fetch);
}

function hosts(inputs: Inputs, rate: number, peak: number) {
  const period = hostPeriod(inputs);
  const ceiling = inputs['back-queues'] / period;
  return {
    period,
    pagesPerSecond: 1 / period,
    pagesPerDay: DAY / period,
    inPlay: rate * period,
    inPlayAtPeak: peak * period,
    /** Pages a second that so many back queues can bring. */
    ceiling,
    headroom: ceiling / peak,
    /** Hosts whose budgets make up the pages. */
    forBudget: (rate * MONTH) / inputs.budget,
    largestSeconds: Number.isNaN(inputs['largest-host']) ? null : inputs['largest-host'] * period,
  };
}

function bandwidth(inputs: Inputs, rate: number, peak: number) {
  const size = inputs['page-size'];
  return {
    bytesPerSecond: rate * size,
    bitsPerSecond: rate * size * 8,
    peakBitsPerSecond: peak * size * 8,
    shareOfLink: (peak * size * 8) / inputs.link / inputs.machines,
  };
}

function volume(inputs: Inputs, rate: number) {
  const stored = inputs['stored-size'] * inputs.copies;
  return {
    fetched: inputs.pages * inputs['page-size'],
    stored: inputs.pages * stored,
    storedPerYear: rate * YEAR * stored,
    disks: Number.isNaN(inputs['disk-size']) ? null : (rate * YEAR * stored) / inputs['disk-size'],
  };
}

/** An exact set, a Bloom filter by its error and one by its bits, and what becomes of that one when it is overfull. */
function seen(inputs: Inputs) {
  const { urls, overfill } = inputs;
  const byError = bloomSize(urls, inputs['bloom-error']);
  const madeFor = Number.isNaN(inputs['bloom-keys']) ? urls : inputs['bloom-keys'];
  const byBits = bloomSizeForBits(madeFor, inputs['bloom-bits']);
  const errorAt = (load: number): number => bloomError(inputs['bloom-bits'] / load, byBits.hashes);
  const [error, designed, overfull] = [errorAt(urls / madeFor), errorAt(1), errorAt(overfill)];
  return {
    exactBytes: urls * inputs['key-bytes'],
    /** Pairs of URLs that share a key by chance. */
    collisions: (urls * urls) / 2 / 2 ** (8 * inputs['key-bytes']),
    byError: { bitsPerKey: byError.bits / urls, hashes: byError.hashes, bytes: byError.bytes },
    byBits: { hashes: byBits.hashes, bytes: byBits.bytes, load: urls / madeFor, error, lost: urls * error },
    /** With `overfill` times the keys it is made for. */
    overfull: { error: overfull, factor: overfull / designed },
    /** Error of a filter with one bit a key; its power is that of more. */
    errorOfOneBit: 0.5 ** Math.LN2,
    smaller: (urls * inputs['key-bytes']) / byError.bytes,
  };
}

/** Share of new keys that are taken for known ones: (1 - e^(-k n / m))^k. */
const bloomError = (bitsPerKey: number, hashes: number): number => (-Math.expm1(-hashes / bitsPerKey)) ** hashes;

/** The block index of near-duplicates, for the number of blocks that so many pages get, and for four. */
function near(pages: number, peak: number) {
  const blocks = blocksFor(pages);
  const chosen = index(blocks, pages, peak);
  return { blocks, ...chosen, four: index(4, pages, peak) };
}

function index(blocks: number, pages: number, peak: number) {
  const keys = keyLengths(blocks);
  const candidates = keys.reduce((sum, bits) => sum + pages / 2 ** bits, 0);
  return { tables: keys.length, candidates, comparedPerSecond: candidates * peak, bytes: keys.length * pages * 8 };
}

/** Bits of the key of each table: 64 bits are cut as evenly as they go, and each choice of all but 3 blocks is a key. */
function keyLengths(blocks: number): number[] {
  const lengths = Array.from({ length: blocks }, (_, i) => Math.floor((FINGERPRINT + i) / blocks));
  let keys = [{ next: 0, taken: 0, bits: 0 }];
  for (let taken = 0; taken < blocks - NEAR; taken++) {
    keys = keys.flatMap(({ next, bits }) =>
      lengths.slice(next).map((length, i) => ({ next: next + i + 1, taken: taken + 1, bits: bits + length })),
    );
  }
  return keys.map(({ bits }) => bits);
}

function reach({ urls, branching, depth, links }: Inputs) {
  const needed = Math.log(urls) / Math.log(branching);
  return {
    /** Links from a seed at which so many URLs are met. */
    depth: needed,
    slackOrders: (depth - needed) * Math.log10(branching),
    /** Share of new links below which the frontier drains. */
    drainsBelow: 1 / links,
  };
}

function machines(inputs: Inputs, rate: number) {
  const ceiling = inputs.link / 8 / inputs['page-size'];
  const each = ceiling * inputs.utilisation;
  return {
    ceiling,
    pagesPerSecond: each,
    secondsOnOne: inputs.pages / each,
    seconds: inputs.pages / each / inputs.machines,
    needed: Math.ceil(rate / each - 1e-9),
    cores: rate * seconds(inputs.cpu),
  };
}
