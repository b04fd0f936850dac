// Loaded before the program (`node --import`), in every thread: makes the disk of one crawl fail, or writes down what
// it has made durable.
//   DISK_FAULT    {"call":"writev","file":"regexp","after":n,"code":"ENOSPC"}: from the n-th call on that file it fails
//   DISK_JOURNAL  a file that gets a line `<bytes> <path>` for each sync: what of that file survives a power cut
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** @type {{ call: string, file: string, after: number, code: string } | null} */
const fault = JSON.parse(process.env.DISK_FAULT ?? 'null');
const journal = process.env.DISK_JOURNAL;
const { appendFileSync, fdatasyncSync, fstatSync, fsyncSync, readlinkSync, writeSync, writevSync } = fs;
let calls = 0;

/** @param {number} fd */
const pathOf = (fd) => readlinkSync(`/proc/self/fd/${fd}`);

/** @type {(call: string, fd: number) => void} */
function fail(call, fd) {
  if (fault?.call !== call || !new RegExp(fault.file).test(pathOf(fd)) || ++calls < fault.after) return;
  throw Object.assign(new Error(`${fault.code}: ${call}`), { code: fault.code });
}

/** Notes the size before the sync begins: bytes that come later are not its business.
 * @param {number} fd */
function note(fd) {
  const line = `${fstatSync(fd).size} ${pathOf(fd)}\n`;
  return () => journal !== undefined && appendFileSync(journal, line);
}

/** @type {(sync: (fd: number) => void) => (fd: number) => void} */
const watched = (sync) => (fd) => {
  fail('sync', fd);
  const noted = note(fd);
  sync(fd);
  noted();
};

fs.writevSync = (fd, buffers, position) => {
  fail('writev', fd);
  return writevSync(fd, buffers, position);
};
fs.writeSync = (/** @type {number} */ fd, /** @type {any} */ ...rest) => {
  fail('write', fd);
  return /** @type {any} */ (writeSync)(fd, ...rest);
};
fs.fdatasyncSync = watched(fdatasyncSync);
fs.fsyncSync = watched(fsyncSync);
syncBuiltinESMExports();

const handle = await open('/dev/null');
/** @type {import('node:fs/promises').FileHandle} */
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const { appendFile, datasync } = prototype;
prototype.appendFile = async function (data, options) {
  fail('append', this.fd);
  return appendFile.call(this, data, options);
};
prototype.datasync = async function () {
  fail('sync', this.fd);
  const noted = note(this.fd);
  await datasync.call(this);
  noted();
};
