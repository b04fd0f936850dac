/**
 * `npm run bench -- peers`: the same pages crawled in turns by Saunter and by what a user would pick instead; then each
 * is killed in the middle of its crawl and started again.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { installPeers } from './install.js';
import { killLap } from './kill.js';
import { PEERS } from './peers.js';
import { lap, type RaceOptions } from './race.js';
import { type Entry, peersReport } from './table.js';

export interface PeersOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
  readonly latency?: string;
  readonly rounds: number;
  /** Names in any case, separated by commas; empty for all. */
  readonly only: string;
  /** What is done: the race, the kills, or both. */
  readonly parts: string;
  /** A file of JSON lines that gets the results, and whose earlier ones count too: a race run in pieces. */
  readonly laps?: string;
  readonly progress: (line: string) => void;
}

export interface PeersReport {
  /** Markdown. */
  readonly lines: readonly string[];
  /** Saunter itself came out without a fault. */
  readonly isGood: boolean;
}

/** A peer that takes longer than this for one crawl is killed, ms. */
const TIMEOUT = 220_000;

/** Runs the race. */
export async function peersBench(options: PeersOptions): Promise<PeersReport> {
  const { hosts, pages, seed, latency, rounds, only, parts, laps, progress } = options;
  const wanted = only.toLowerCase().split(',').filter(Boolean);
  const peers = PEERS.filter(({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()));
  const missing = wanted.filter((name) => !peers.some((peer) => peer.name.toLowerCase() === name));
  if (missing.length > 0) {
    const names = PEERS.map(({ name }) => name).join(', ');
    return { lines: [`There is no peer ${missing.join(', ')}: choose among ${names}.`], isGood: false };
  }
  progress('fetching the peers from the registries of Debian and npm, unless they are there');
  const installed = installPeers();
  const race: RaceOptions = { hosts, pages, seed, installed, timeout: TIMEOUT, ...(latency ? { latency } : {}) };
  const entries: Entry[] = [];
  if (laps !== undefined && existsSync(laps)) {
    for (const line of readFileSync(laps, 'utf8').split('\n').filter(Boolean)) entries.push(JSON.parse(line));
  }
  const piece = new Date().toISOString();
  const keep = (entry: Entry): void => {
    entries.push(entry);
    progress(JSON.stringify(entry.lap ?? entry.kill));
    if (laps !== undefined) appendFileSync(laps, `${JSON.stringify(entry)}\n`);
  };
  if (parts.includes('race')) {
    for (let round = 0; round < rounds; round++) for (const peer of peers) keep({ piece, lap: await lap(peer, race) });
  }
  if (parts.includes('kill')) for (const peer of peers) keep({ piece, kill: await killLap(peer, race) });
  const lines = [
    `${hosts} hosts x ${pages} pages, addresses instead of names${latency ? `, every answer ${latency} ms late` : ''}; the median of the laps.`,
    '',
    ...peersReport(entries, PEERS, installed.versions),
  ];
  const own = entries.filter((entry) => (entry.lap ?? entry.kill).name === 'Saunter');
  const isGood = own.every(({ lap, kill }) => (lap ?? kill)!.fault === '' && (kill === undefined || kill.lost === 0));
  return { lines, isGood };
}
