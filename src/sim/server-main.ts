/**
 * A synthetic server as a program: `node dist/sim/server-main.js --web demo|kill|bench|pool|traps [--port N] [--seed N]
 * [--hosts N] [--pages N] [--latency MS-MS] [--key FILE --cert FILE] [--literal] [--control] [--log FILE]`.
 *
 * With a key and a certificate (PEM) it speaks TLS. `--literal` calls hosts by their addresses instead of names.
 *
 * Prints a {@link ReadyLine} and serves until SIGTERM or SIGINT. With `--control` it also answers the commands of
 * `server-control.ts` on standard input and ends when that closes, so it never outlives who started it. `--log` writes
 * the requests as JSON lines at the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { SyntheticServer } from './server.js';
import { WEB_RESOLVE, webAddress } from './server-address.js';
import { ServerControl } from './server-commands.js';
import type { ReadyLine } from './server-control.js';
import type { SyntheticWeb, WebPlace } from './web.js';
import { type BenchFigures, createBenchWeb } from './web-bench.js';
import { createPoolWeb } from './web-bench-pool.js';
import { createDemoWeb } from './web-demo.js';
import { createKillWeb } from './web-kill.js';
import { createTrapWeb } from './web-traps.js';

const OPTIONS = {
  web: { type: 'string', default: 'demo' },
  port: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  hosts: { type: 'string' },
  pages: { type: 'string' },
  latency: { type: 'string' },
  key: { type: 'string' },
  cert: { type: 'string' },
  literal: { type: 'boolean', default: false },
  control: { type: 'boolean', default: false },
  log: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const USAGE = `A synthetic web on this machine, for crawlers to be tried on.

Usage: node dist/sim/server-main.js [options]

  --web NAME       demo, kill, bench, pool or traps (default: demo)
  --port N         where it listens (default: any that is free)
  --seed N         another web of the kind (default: 1)
  --hosts N, --pages N   hosts, and pages of each, of kill, bench and pool
  --latency MS-MS  how late its answers come
  --key FILE, --cert FILE   PEM: it speaks TLS
  --literal        hosts are called by their addresses
  --control        answers commands on standard input, and ends with it
  --log FILE       writes the requests as JSON lines at the end
  --help           show this

It prints one line of JSON, with port, seeds and the --resolve of saunter, and serves until Ctrl-C.`;

const WEBS = ['demo', 'traps', 'kill', 'bench', 'pool'];

/** The options; what is wrong with them ends the program with a sentence. */
function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (!WEBS.includes(values.web)) throw new Error(`There is no web "${values.web}": give one of ${WEBS.join(', ')}`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message.replace(/\.$/, '')}. See node dist/sim/server-main.js --help.`);
    process.exit(2);
  }
}

const flags = readOptions();

let figures: BenchFigures | undefined;

async function build(place: WebPlace): Promise<SyntheticWeb> {
  const seed = Number(flags.seed);
  const size = (hosts: number, pages: number) => ({
    hosts: Number(flags.hosts ?? hosts),
    pages: Number(flags.pages ?? pages),
    seed,
  });
  switch (flags.web) {
    case 'demo':
      return createDemoWeb(seed, place);
    case 'traps':
      return createTrapWeb(seed, place);
    case 'kill':
      return createKillWeb(size(40, 15), place);
    case 'bench': {
      const bench = await createBenchWeb(size(2000, 10), place);
      figures = bench.figures;
      return bench;
    }
    case 'pool':
      return createPoolWeb(size(400, 600), place);
    default:
      throw new Error(`${flags.web} is among the webs, and nobody makes it`);
  }
}

const addressOf = (host: string): string => (isIP(host) === 0 ? webAddress(host) : host);
const tls =
  flags.key === undefined || flags.cert === undefined
    ? undefined
    : { key: readFileSync(flags.key, 'utf8'), cert: readFileSync(flags.cert, 'utf8') };
const [least = 0, most = least] = flags.latency?.split('-').map(Number) ?? [];
const place = { addressOf, isLiteral: flags.literal, isSecure: tls !== undefined };

const control = new ServerControl();
const server = await SyntheticServer.start((port) => build({ port, ...place }), {
  port: Number(flags.port),
  addressOf,
  ...(tls === undefined ? {} : { tls }),
  ...(flags.latency === undefined ? {} : { latency: [least, most] as const }),
  onRequest: (request) => control.arrived(request),
  onEnd: (request) => control.ended(request),
});

async function stop(): Promise<void> {
  await server.stop();
  if (flags.log !== undefined) {
    writeFileSync(flags.log, server.log.map((request) => `${JSON.stringify(request)}\n`).join(''));
  }
  process.exit(0);
}
process.on('SIGTERM', () => void stop());
// Ctrl-C in a terminal reaches the whole process group; whoever holds the control line still wants the summary.
process.on('SIGINT', () => void (flags.control ? undefined : stop()));
if (flags.control) control.serve(server, process.stdin, process.stdout, () => void stop());

const ready: ReadyLine = {
  ...{ port: server.port, seeds: server.web.seeds, resolve: WEB_RESOLVE, hosts: server.web.hosts.length },
  ...(figures === undefined ? {} : { figures: { ...figures } }),
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
