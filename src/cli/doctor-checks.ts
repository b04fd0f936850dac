/** What `saunter doctor` concludes from what it found. Pure: facts in, findings out. */
import type { Config } from '../config/config.js';
import { counted, formatCount, formatSize } from '../units.js';

export interface Finding {
  readonly name: 'node' | 'store' | 'disk' | 'files' | 'dns' | 'clock' | 'contact' | 'memory' | 'port';
  /** A warning may be what you want; a failure keeps a crawl from running, or from keeping its promises. */
  readonly state: 'ok' | 'warning' | 'failure';
  readonly says: string;
  /** What mends it; empty where nothing has to be. */
  readonly todo: string;
}

/** Bytes, ms and counts; null where the system does not say. */
export interface Facts {
  readonly node: string;
  readonly platform: string;
  /** Why the store cannot be used here, or null. */
  readonly store: string | null;
  readonly disk: Disk;
  /** Descriptors that the process may open. */
  readonly files: number | null;
  readonly dns: DnsFacts;
  readonly clock: { readonly wall: number; readonly file: number | null };
  readonly memory: { readonly machine: number; readonly constrained: number | null; readonly limit: number };
  /** The port of the dashboard; whether it is asked for, and why it cannot be had (null if it can). */
  readonly port: { readonly number: number; readonly wanted: boolean; readonly refusal: string | null };
}

interface Disk {
  /** The folder that was looked at. */
  readonly path: string;
  /** Why nothing can be written there, or null. */
  readonly refusal: string | null;
  readonly free: number | null;
  /** The number by which the system knows the kind of file system. */
  readonly kind: number | null;
  /** Of one small write that is made durable. */
  readonly syncMs: number | null;
}

interface DnsFacts {
  readonly servers: readonly string[];
  readonly name: string;
  /** Null if nobody answered; whether the name exists is no matter. */
  readonly ms: number | null;
  readonly fault: string;
}

/** Kinds of file systems that matter (`statfs(2)`). */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9P'],
]);

const LEAST_NODE = [20, 17];
const DISK_FAILURE = 1e9;
const DISK_WARNING = 10e9;
/** A disk that syncs faster than this did not: the fastest take some 20 us. */
const SYNC_TOO_FAST = 0.005;
const SYNC_SLOW = 100;
const FILES_OWN = 200;
const MEMORY_LEAST = 512 * 1024 ** 2;
/** This program did not exist before. */
const EPOCH = Date.UTC(2026, 0, 1);
const SKEW = 2_000;

type Limits = Pick<Config, 'concurrency' | 'contact' | 'memory.limit'>;

/** All findings, in the order in which they are told. */
export function findings(facts: Facts, config: Limits): Finding[] {
  return [
    node(facts),
    store(facts),
    disk(facts.disk),
    files(facts.files, config.concurrency),
    memory(facts.memory, config),
    clock(facts.clock),
    dns(facts.dns),
    contact(config.contact),
    port(facts.port),
  ];
}

const ok = (name: Finding['name'], says: string): Finding => ({ name, state: 'ok', says, todo: '' });
const warning = (name: Finding['name'], says: string, todo: string): Finding => ({
  name,
  state: 'warning',
  says,
  todo,
});
const failure = (name: Finding['name'], says: string, todo: string): Finding => ({
  name,
  state: 'failure',
  says,
  todo,
});

function node({ node, platform }: Facts): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [least, leastMinor] = LEAST_NODE;
  if (major < least || (major === least && minor < leastMinor)) {
    return failure('node', `Node ${node} is too old.`, `Install Node ${LEAST_NODE.join('.')} or newer.`);
  }
  if (platform !== 'linux' && platform !== 'darwin') {
    return warning('node', `Node ${node} on ${platform}: nobody tests that.`, 'Use Linux or macOS.');
  }
  return ok('node', `Node ${node} on ${platform}.`);
}

function store({ store: fault }: Facts): Finding {
  if (fault === null) return ok('store', 'SQLite writes and reads.');
  return failure('store', `SQLite cannot be used: ${fault}`, 'Run npm ci again on this very machine.');
}

function disk({ path, refusal, free, kind, syncMs }: Disk): Finding {
  if (refusal !== null) {
    return failure(
      'disk',
      `Nothing can be written in ${path}: ${refusal}.`,
      'Give another --dir, or its rights to this user.',
    );
  }
  const room = free === null ? 'free space unknown' : `${formatSize(free)} free`;
  if (free !== null && free < DISK_FAILURE) {
    return failure('disk', `${path} has only ${room}.`, 'Free some, or give another --dir: a page takes some 20 KB.');
  }
  const network = NETWORK.get(kind ?? 0);
  if (network !== undefined) {
    return warning(
      'disk',
      `${path} lies on a network file system (${network}): its locks and syncs may not hold.`,
      'Crawl on a local disk, and copy the directory when the crawl has stopped.',
    );
  }
  if (IN_MEMORY.has(kind ?? 0)) {
    return warning(
      'disk',
      `${path} lies in memory: a crawl there is lost with the machine.`,
      'Give a --dir on a disk.',
    );
  }
  if (syncMs !== null && syncMs < SYNC_TOO_FAST) {
    return warning(
      'disk',
      `${path} says that it makes writes durable in ${syncMs.toFixed(4)} ms, which no disk does.`,
      'After a power cut the last seconds of a crawl may be missing: use another file system, or turn its syncing on.',
    );
  }
  if (syncMs !== null && syncMs > SYNC_SLOW) {
    return warning(
      'disk',
      `${path} takes ${Math.round(syncMs)} ms to make one write durable: commits will hold the crawl up.`,
      'Use another disk, or a larger batch.time.',
    );
  }
  const sync = syncMs === null ? '' : `, a write is durable after ${syncMs.toFixed(1)} ms`;
  if (free !== null && free < DISK_WARNING) {
    return warning('disk', `${path} has ${room}${sync}: enough for ${formatCount(Math.round(free / 20e3))} pages or so.`, 'Free some, or limit the crawl with --max-pages.'); // biome-ignore format: short
  }
  return ok('disk', `${path} has ${room}${sync}.`);
}

function files(limit: number | null, concurrency: number): Finding {
  if (limit === null)
    return warning('files', 'How many files may be open is unknown.', 'See that ulimit -n says 1024 or more.');
  const needed = concurrency + FILES_OWN;
  if (limit >= needed)
    return ok('files', `${formatCount(limit)} files may be open; ${formatCount(needed)} can be needed.`);
  return failure(
    'files',
    `Only ${counted(limit, 'file')} may be open, and ${formatCount(concurrency)} requests at once can need ${formatCount(needed)}.`,
    `Raise the limit (ulimit -n ${Math.max(1024, needed)}), or give a lower --concurrency.`,
  );
}

function memory({ machine, constrained, limit }: Facts['memory'], config: Limits): Finding {
  const has = constrained === null ? machine : Math.min(machine, constrained);
  const whose = constrained !== null && constrained < machine ? `this container's ${formatSize(has)}` : `${formatSize(has)} of this machine`; // biome-ignore format: short
  if (has < MEMORY_LEAST) {
    return warning('memory', `There is little memory: ${formatSize(has)}.`, 'Give fewer --workers; 500 MB is little, 2 GB is plenty for a million URLs.'); // biome-ignore format: short
  }
  if (limit > has) {
    return failure(
      'memory',
      `memory.limit is ${formatSize(limit)}, and there are ${formatSize(has)}: the system would end the crawl first.`,
      `Set memory.limit to ${formatSize(0.6 * has)}, or leave it out.`,
    );
  }
  const how = config['memory.limit'] === 'auto' ? 'of which a crawl may take' : 'of which memory.limit allows';
  return ok('memory', `${whose}, ${how} ${formatSize(limit)}.`);
}

function clock({ wall, file }: Facts['clock']): Finding {
  if (wall < EPOCH) {
    const says = `The clock says ${new Date(wall).toISOString()}, which is past.`;
    return failure(
      'clock',
      says,
      'Set it (timedatectl set-ntp true): dates of pages and waits across restarts depend on it.',
    );
  }
  if (file !== null && Math.abs(file - wall) > SKEW) {
    const apart = formatCount(Math.round(Math.abs(file - wall) / 1000));
    return warning('clock', `The clock of the disk is ${apart} s off that of this machine.`, 'Set both clocks by NTP.');
  }
  return ok('clock', `${new Date(wall).toISOString()}.`);
}

function dns({ servers, name, ms, fault }: DnsFacts): Finding {
  const asked = servers.length > 0 ? servers.join(', ') : 'no server';
  if (ms !== null) return ok('dns', `${name} was looked up in ${formatCount(Math.round(ms))} ms (${asked}).`);
  return warning(
    'dns',
    `Nobody answers for ${name} (${asked}): ${fault}.`,
    'Without a network only hosts of --resolve can be crawled. Otherwise name a server that answers: --dns 9.9.9.9.',
  );
}

function contact(given: string | null): Finding {
  if (given !== null) return ok('contact', `Site owners can reach you: ${given}.`);
  return warning(
    'contact',
    'There is no contact, so no crawl leaves this machine.',
    'Give --contact, or contact in the config file: a page about your crawler, or a mail address.',
  );
}

function port({ number, wanted, refusal }: Facts['port']): Finding {
  if (refusal === null) return ok('port', `Port ${number} is free${wanted ? '' : ', for --admin'}.`);
  const says = `Port ${number} cannot be had: ${refusal}.`;
  return wanted
    ? failure('port', says, 'Give --admin another port.')
    : warning('port', says, 'For a dashboard, give --admin another port.');
}
