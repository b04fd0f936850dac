/**
 * Files of our own that a crash or a disk may have damaged: `leases.open` and checkpoints. A checkpoint gives the blocks
 * that were written, up to the damage, and says that it is damaged; of `leases.open` a line that is torn or foreign is
 * ignored, and each that is whole is read.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { BlockKind, CheckpointFault, readCheckpoint } from '../../src/state/checkpoint-file.js';
import { readOpenLeases } from '../../src/state/leases-file.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

const folder = mkdtempSync(join(tmpdir(), 'saunter-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The format of `checkpoint-file.ts`, written a second time. */
function block(kind: number, payload: Buffer, at: number): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0x31504353, 0);
  header.writeUInt32LE(kind, 4);
  header.writeDoubleLE(at, 8);
  header.writeUInt32LE(payload.length, 20);
  header.writeUInt32LE(crc32(payload, crc32(header.subarray(0, 24))), 24);
  return Buffer.concat([header, payload]);
}
const PAYLOADS = ['{"crawl":"x"}', '', 'rows'.repeat(50), '\0'.repeat(64)].map((text) => Buffer.from(text));
const CHECKPOINT = Buffer.concat([
  ...PAYLOADS.map((payload, i) => block(i + 1, payload, i)),
  block(BlockKind.end, Buffer.alloc(0), PAYLOADS.length),
]).toString('latin1');

export const checkpointTarget: FuzzTarget<string> = {
  name: 'checkpoint',
  suiteRuns: 200,
  cases: () => mutated([CHECKPOINT], ['\0', '\xff', 'SCP1', '\0\0\0\0', CHECKPOINT.slice(0, 45)], 1_000, 3),
  check(file) {
    const path = join(folder, 'checkpoint');
    writeFileSync(path, bytesOf(file));
    const found: Buffer[] = [];
    let fault: unknown = null;
    try {
      for (const { payload } of readCheckpoint(path)) found.push(Buffer.from(payload));
    } catch (error) {
      fault = error;
    }
    assert.ok(fault === null || fault instanceof CheckpointFault, `an error of another kind: ${fault}`);
    for (const payload of found)
      assert.ok(
        PAYLOADS.some((one) => one.equals(payload)),
        'a block that was never written',
      );
    if (file === CHECKPOINT) assert.equal(fault, null);
    // The end counts blocks: what is whole has as many as were written, in whatever order somebody put them.
    if (fault === null) assert.equal(found.length, PAYLOADS.length);
  },
};

const LEASES =
  'saunter leases 1\n+ 3 1 page 1767225600000\n+ -1 2 robots 1767225600001\n- 3 1 page 1767225600000\n+ 3 1 page 1767225601000\n';
const GRANT = /^\+ (-1|\d{1,15}) (\d{1,15}) (page|robots|sitemap) (\d{1,15})$/;

export const leasesTarget: FuzzTarget<string> = {
  name: 'leases',
  suiteRuns: 300,
  cases: () => {
    const pieces = [
      '\n',
      '+ ',
      '- ',
      ' ',
      '-1',
      '0',
      '9'.repeat(20),
      'page',
      'robots',
      'clean 5\n',
      '+ 3 1 page 5\n',
      '\0',
      'e5',
    ];
    return fc.oneof(mutated([LEASES, LEASES.repeat(5), 'saunter leases 1\nclean 1767225600000\n'], pieces, 1_000, 4));
  },
  check(file) {
    writeFileSync(join(folder, 'leases.open'), bytesOf(file));
    const { leases, clean, stoppedAt } = readOpenLeases(folder);
    for (const { url, host, at } of leases) {
      assert.ok(Number.isSafeInteger(url) && url >= -1 && Number.isSafeInteger(host) && host >= 0, `${url} ${host}`);
      assert.ok(Number.isSafeInteger(at) && at >= 0);
    }
    assert.equal(clean, stoppedAt !== null && leases.length === 0);
    // None is made up: each was granted by a line that is whole.
    const lines = file.split('\n').map((line) => GRANT.exec(line));
    const granted = new Set(lines.map((m) => m && `${Number(m[1])} ${Number(m[2])} ${m[3]} ${Number(m[4])}`));
    for (const { url, host, kind, at } of leases) assert.ok(granted.has(`${url} ${host} ${kind} ${at}`));
  },
};
