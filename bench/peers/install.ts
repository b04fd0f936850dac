/**
 * Fetches the peers from the registries of Debian and npm into a cache folder: nothing is installed on the machine, and
 * none of them is a dependency of this package.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** npm runs scripts in the package's own folder. */
const CACHE = resolve('node_modules/.cache/peers');
const DRIVERS = resolve('bench/peers/drivers');

/** Of npm; each runs on Node 20. */
const NPM = {
  '@crawlee/cheerio': '3.18.1',
  '@crawlee/http': '3.18.1',
  '@spider-rs/spider-rs': '0.0.157',
  crawler: '2.0.2',
  simplecrawler: '1.1.9',
} as const;
/** Of Debian: the version is what the machine's release has. */
const DEBIAN = ['wget2', 'httrack', 'python3-scrapy'] as const;

/** Where the peers are. */
export interface Installed {
  /** The drivers, beside the npm packages that they import. */
  readonly drivers: string;
  /** The root folder of the unpacked Debian packages. */
  readonly debian: string;
  /** What programs of Debian need to find their libraries and modules. */
  readonly env: Readonly<Record<string, string>>;
  /** By package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Installs what is not there yet, which takes about a minute.
 * @throws Error if a registry does not answer */
export function installPeers(): Installed {
  const npm = join(CACHE, 'npm');
  const debian = join(CACHE, 'debian');
  const versions = { ...NPM, ...installDebian(debian) };
  installNpm(npm);
  for (const file of readdirSync(DRIVERS)) copyFileSync(join(DRIVERS, file), join(npm, file));
  const libraries = [join(debian, 'usr/lib'), ...architectures(debian)].join(':');
  const env = { LD_LIBRARY_PATH: libraries, PYTHONPATH: join(debian, 'usr/lib/python3/dist-packages') };
  return { drivers: npm, debian, env, versions };
}

function installNpm(folder: string): void {
  const manifest = `${JSON.stringify({ private: true, type: 'module', dependencies: NPM }, null, 2)}\n`;
  const file = join(folder, 'package.json');
  if (existsSync(join(folder, 'installed')) && readFileSync(file, 'utf8') === manifest) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  writeFileSync(join(folder, 'installed'), '');
}

/** Unpacks the packages and all that they need and the machine has not. */
function installDebian(folder: string): Record<string, string> {
  const list = join(folder, 'installed.json');
  if (existsSync(list)) return JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>;
  mkdirSync(folder, { recursive: true });
  const plan = run('apt-get', ['--simulate', 'install', '--no-install-recommends', ...DEBIAN], folder);
  const wanted = [...plan.matchAll(/^Inst (\S+) \((\S+) /gm)].map(([, name, version]) => `${name}=${version}`);
  if (wanted.length > 0) run('apt-get', ['-qq', 'download', ...wanted], folder);
  for (const file of readdirSync(folder)) if (file.endsWith('.deb')) run('dpkg-deb', ['-x', file, '.'], folder);
  const versions: Record<string, string> = {};
  for (const name of DEBIAN) {
    const found = wanted.find((item) => item.startsWith(`${name}=`))?.slice(name.length + 1);
    versions[name] = found ?? run('dpkg-query', ['-W', '-f', '$' + '{Version}', name], folder);
  }
  writeFileSync(list, JSON.stringify(versions));
  return versions;
}

function architectures(debian: string): string[] {
  const folder = join(debian, 'usr/lib');
  return readdirSync(folder)
    .filter((name) => name.includes('-linux-gnu'))
    .map((name) => join(folder, name));
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
