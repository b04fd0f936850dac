import { describe, expect, it } from 'vitest';
import { type Facts, findings } from '../../src/cli/doctor-checks.js';
import { DnsServer } from '../support/dns-server.js';
import { FakeProcess } from './process.js';

const GIB = 1024 ** 3;
const facts: Facts = {
  ...{ node: '24.1.0', platform: 'linux', store: null, files: 1024 },
  disk: { path: '/data', refusal: null, free: 100e9, kind: 0xef53, syncMs: 2 },
  dns: { servers: ['9.9.9.9'], name: 'example.org', ms: 12, fault: '' },
  clock: { wall: Date.UTC(2026, 5, 1), file: Date.UTC(2026, 5, 1) + 3 },
  memory: { machine: 8 * GIB, constrained: null, limit: 4.8 * GIB },
  port: { number: 8787, wanted: false, refusal: null },
};
const config = { concurrency: 256, contact: 'mailto:me@example.org', 'memory.limit': 'auto' } as const;
const disk = (more: Partial<Facts['disk']>): Partial<Facts> => ({ disk: { ...facts.disk, ...more } });

describe('the doctor', () => {
  it('finds nothing wrong with a machine that is well', () => {
    expect(findings(facts, config).filter(({ state, todo }) => state !== 'ok' || todo !== '')).toEqual([]);
  });

  it.each<[string, string, Partial<Facts>, RegExp]>([
    ['node', 'failure', { node: '20.16.0' }, /too old.*Install Node 20\.17 or newer/],
    ['node', 'failure', { node: '18.20.0' }, /too old/],
    ['node', 'warning', { platform: 'win32' }, /nobody tests that/],
    ['store', 'failure', { store: 'no binary' }, /SQLite cannot be used: no binary.*npm ci/],
    ['disk', 'failure', disk({ refusal: 'EACCES' }), /Nothing can be written in \/data: EACCES.*another --dir/],
    ['disk', 'failure', disk({ free: 5e8 }), /has only 500 MB free/],
    ['disk', 'warning', disk({ free: 5e9 }), /enough for 250,000 pages or so/],
    ['disk', 'warning', disk({ kind: 0x6969 }), /network file system \(NFS\).*local disk/],
    ['disk', 'warning', disk({ kind: 0x01021994 }), /lies in memory/],
    ['disk', 'warning', disk({ syncMs: 0.001 }), /which no disk does.*power cut/],
    ['disk', 'warning', disk({ syncMs: 400 }), /takes 400 ms/],
    ['files', 'failure', { files: 256 }, /Only 256 files.*ulimit -n 1024.*lower --concurrency/],
    ['files', 'warning', { files: null }, /unknown/],
    [
      'memory',
      'warning',
      { memory: { machine: 8 * GIB, constrained: GIB / 4, limit: GIB / 8 } },
      /little memory: 268 MB/,
    ],
    [
      'memory',
      'failure',
      { memory: { machine: 8 * GIB, constrained: 2 * GIB, limit: 4 * GIB } },
      /memory\.limit is 4\.29 GB, and there are 2\.15 GB.*Set memory\.limit to 1\.29 GB/,
    ],
    ['clock', 'failure', { clock: { wall: 0, file: 0 } }, /1970-01-01.*timedatectl/],
    ['clock', 'warning', { clock: { ...facts.clock, file: facts.clock.wall - 60_000 } }, /60 s off/],
    [
      'dns',
      'warning',
      { dns: { ...facts.dns, ms: null, fault: 'ETIMEOUT' } },
      /Nobody answers for example\.org \(9\.9\.9\.9\): ETIMEOUT.*--resolve/,
    ],
    [
      'port',
      'warning',
      { port: { number: 8787, wanted: false, refusal: 'another program has it' } },
      /another program has it.*another port/,
    ],
    [
      'port',
      'failure',
      { port: { number: 80, wanted: true, refusal: 'this user may not open it' } },
      /Port 80 cannot be had/,
    ],
  ])('of %s tells a %s from %j', (name, state, wrong, words) => {
    const found = findings({ ...facts, ...wrong }, config).filter((finding) => finding.state !== 'ok');
    expect(found.map((finding) => [finding.name, finding.state])).toEqual([[name, state]]);
    expect(`${found[0].says} ${found[0].todo}`).toMatch(words);
  });

  it('asks this machine and one DNS server, and says what there is', async () => {
    const server = await DnsServer.start();
    const { address } = server;
    const argv = ['doctor', '--config', 'off', '--contact', 'me@example.org', '--dns', address];
    const { code, out, err } = await new FakeProcess().run(...argv, '--json');
    const answer = JSON.parse(out) as { ok: boolean; checks: { name: string; state: string }[] };
    expect([code, err, answer.ok]).toEqual([0, '', true]);
    expect(answer.checks.map(({ name }) => name)).toEqual(['node', 'store', 'disk', 'files', 'memory', 'clock', 'dns', 'contact', 'port']); // biome-ignore format: short
    expect(answer.checks.find(({ name }) => name === 'dns')).toMatchObject({ state: 'ok' });
    await server.stop();
    const words = await new FakeProcess().run('doctor', '--config', 'off', '--dns', address);
    expect(words.out).toMatch(/^! {3}dns +Nobody answers for example\.org \(\S+\): \w+\.\n {14}\S/m);
    expect(words.out).toMatch(/^! {3}contact +There is no contact, so no crawl leaves this machine\.$/m);
  });
});
