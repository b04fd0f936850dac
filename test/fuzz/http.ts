/** HTTP answers: one result for the same bytes however they arrive, and an end within the caps. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ResponseReader } from '../../src/fetch/http-response.js';
import { mutated } from './mutations.js';
import { bytesOf, type FuzzTarget } from './target.js';

interface Case {
  readonly bytes: string;
  readonly cuts: readonly number[];
  readonly limit: number;
}

const ok = (fields: string, body: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`;
const SOURCES = [
  ok('Content-Length: 5\r\n', 'hello'),
  ok('Transfer-Encoding: chunked\r\n', '3;ext="a"\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n'),
  'HTTP/1.1 200 OK\nA: b\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n',
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok('Content-Length: 5\r\n', 'hello')}`,
  `\r\n\r\nleft over</html>${ok('Content-Length: 5\r\n', 'hello')}`,
  ok('X: a\r\n  b\r\n\tc\r\nNoColon\r\n: no name\r\nContent-Length : 5\r\n', 'hello'),
  ok('Set-Cookie: a\r\nSet-Cookie: b\r\nConnection: close\r\n', 'hello'),
  'HTTP/1.0 304 Not Modified\r\nETag: "x"\r\nContent-Length: 5\r\n\r\n',
  ok('Content-Length: 3, 3\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n', 'ffff\r\nhello'),
  'SSH-2.0-OpenSSH_9.2\r\n',
];
const PIECES = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    ':',
    ' ',
    '\t',
    '\0',
    '0',
    '-',
    'f',
    'ffffffff',
    ',',
    '\xff',
    'HTTP/',
    'HTTP/1.1 200 OK\r\n',
    'ICY 200\r\n',
  ],
  ...[
    'Content-Length: 4\r\n',
    'Content-Length: +4',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity\r\n',
    '0\r\n\r\n',
    '1;x\r\na\r\n',
  ],
];
const MAX_HEADER = 2_048;

/** What must not depend on how the bytes came. */
function read(bytes: Buffer, cuts: readonly number[], limit: number) {
  const plan = () => ({ limit, stop: false, error: null });
  const reader = new ResponseReader({ maxHeaderBytes: MAX_HEADER, plan });
  let at = 0;
  for (const end of [...cuts, bytes.length]) {
    // A copy that is written over afterwards, as the shared read buffer is.
    const part = Buffer.from(bytes.subarray(at, end));
    if (!reader.done && part.length > 0) reader.push(part);
    part.fill(0xee);
    at = Math.max(at, end);
  }
  reader.end();
  const { head, error, truncated } = reader;
  const fields = head && [...head.headers];
  const body = reader.takeBody().toString('latin1');
  return { status: head?.status, fields, head: reader.headBytes.toString('latin1'), error, truncated, body };
}

export const httpTarget: FuzzTarget<Case> = {
  name: 'http',
  suiteRuns: 500,
  cases: () =>
    fc.record({
      bytes: mutated(SOURCES, PIECES, 1_500, 5),
      cuts: fc.array(fc.nat(1_500), { maxLength: 6 }),
      limit: fc.constantFrom(1, 4, 5, 100, 10_000),
    }),
  check({ bytes: text, cuts, limit }) {
    const bytes = bytesOf(text);
    const whole = read(bytes, [], limit);
    assert.ok(whole.body.length <= limit);
    assert.ok(whole.error !== null || whole.status !== undefined, 'neither an answer nor an error');
    assert.ok(whole.head.length <= MAX_HEADER);
    const split = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
    const says = 'the answer depends on how the bytes came';
    assert.deepEqual(read(bytes, split, limit), whole, says);
    assert.deepEqual(read(bytes, Array.from(bytes.keys()), limit), whole, says);
    const step = Math.max(1, Math.floor(bytes.length / 100));
    for (let at = 1; at < bytes.length; at += step)
      assert.deepEqual(read(bytes, [at], limit), whole, `${says} (cut at ${at})`);
  },
};
