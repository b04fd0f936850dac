/**
 * Checks the digests that a record carries against its bytes (DESIGN section 11: verify).
 */
import { createHash } from 'node:crypto';
import { decodeChunked, splitHttp } from './http-message.js';
import { base32 } from './warc-fields.js';
import type { WarcRecord } from './warc-record.js';

/** `none`: there is no digest, or none that can be computed from what is here (a revisit's payload, an unknown
 * algorithm, a block that was not kept whole). */
export type DigestVerdict = 'pass' | 'fail' | 'none';

export interface DigestReport {
  block: DigestVerdict;
  payload: DigestVerdict;
}

const ALGORITHMS: Record<string, string> = {
  sha1: 'sha1',
  'sha-1': 'sha1',
  md5: 'md5',
  sha256: 'sha256',
  'sha-256': 'sha256',
  sha512: 'sha512',
  'sha-512': 'sha512',
};

export function checkDigests(record: WarcRecord): DigestReport {
  const report: DigestReport = { block: 'none', payload: 'none' };
  if (record.block.length < record.blockLength) return report;
  report.block = compare(record.headers.get('WARC-Block-Digest'), record.block);
  const label = record.headers.get('WARC-Payload-Digest');
  if (label === null || record.type === 'revisit') return report;
  const http = splitHttp(record);
  const payload = http?.payload ?? record.block;
  report.payload = compare(label, payload);
  // Tools differ over whether the payload has its transfer coding (the standard says it has not): either is right.
  if (report.payload === 'fail' && /chunked/i.test(http?.headers.get('Transfer-Encoding') ?? '')) {
    const decoded = decodeChunked(payload);
    if (decoded) report.payload = compare(label, decoded);
  }
  return report;
}

/** `algorithm:value`, the value in base32 or hex, in either case. */
function compare(label: string | null, bytes: Buffer): DigestVerdict {
  const [name, value] = label?.split(':') ?? [];
  const algorithm = ALGORITHMS[name?.trim().toLowerCase() ?? ''];
  if (algorithm === undefined || !value) return 'none';
  const digest = createHash(algorithm).update(bytes).digest();
  const given = value.trim().replace(/=+$/, '');
  const matches =
    given.toLowerCase() === digest.toString('hex') || given.toUpperCase() === base32(digest).replace(/=+$/, '');
  return matches ? 'pass' : 'fail';
}
