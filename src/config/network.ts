/** How names are resolved and answers fetched: parts of the table in `config.ts`. */
import { amount, choice, count, duration, group, size, texts } from './kinds.js';
import { isCidr, isResolveRule, isResolver } from './texts.js';

/** DESIGN 7. */
export const FETCHING = group('Fetching', {
  'timeout.dns': duration('5s', '1ms', '5m', 'The longest a name may take to resolve.'),
  'timeout.connect': duration('5s', '1ms', '5m', 'The longest a connection may take to open.'),
  'timeout.tls': duration('5s', '1ms', '5m', 'The longest a TLS handshake may take.'),
  'timeout.firstByte': duration('10s', '1ms', '10m', 'The longest a server may think before its answer begins.'),
  'timeout.whole': duration('30s', '1ms', '1h', 'The longest a whole request may take.'),
  'timeout.slow': duration(
    '10s',
    '1ms',
    '1h',
    'A body that stays slower than timeout.slowRate for this long is given up.',
  ),
  'timeout.slowRate': size('1KiB', '0', '1GiB', 'The least a body must bring per second.'),
  'http.headers': size('64KiB', '1KiB', '16MiB', 'The largest header block of an answer.'),
  'body.text.wire': size('5MiB', '1KiB', '1GiB', 'How much of an HTML or text body is read off the wire.'),
  'body.text.decoded': size('20MiB', '1KiB', '1GiB', 'How much of an HTML or text body is kept after decompression.'),
  'body.sitemap.wire': size('50MiB', '1KiB', '1GiB', 'How much of a sitemap is read off the wire.'),
  'body.sitemap.decoded': size('50MiB', '1KiB', '1GiB', 'How much of a sitemap is kept after decompression.'),
  'body.pdf': size('32MiB', '1KiB', '1GiB', 'How much of a PDF is read; a longer one is recorded and not parsed.'),
  'decode.ratio': amount(200, 2, 100_000, 'A body that decompresses to more than this many times its size is a bomb.'),
  'decode.ratioFrom': size('1MiB', '0', '1GiB', 'The decompressed size from which the ratio counts.'),
  'tls.invalid': choice(
    'refuse',
    ['refuse', 'record'],
    'A certificate that is expired, for another name or of an unknown issuer is refused, or the page is fetched and the fault recorded with it.',
  ),
  'redirect.chain': count(10, 0, 100, 'Redirects in a row before a chain is given up.'),
  'redirect.same': count(5, 0, 20, 'Redirects in a row from a URL to another spelling of itself.'),
  allowPrivate: texts(
    [],
    'an address range in CIDR form, such as 10.0.0.0/8 or fd00::/8',
    isCidr,
    'A range of non-public addresses that may be fetched from, for seeds and what they link to in there.',
    { flag: 'allow-private', value: 'CIDR' },
  ),
});

export const NAME_RESOLUTION = group('Name resolution', {
  resolve: texts(
    [],
    'PATTERN=ADDRESS[/PREFIX], such as "*.test=127.0.0.1"',
    isResolveRule,
    'Host names that match the pattern live at this address (with a prefix: spread over it) and are not looked up.',
    { flag: 'resolve', value: 'PATTERN=ADDRESS' },
  ),
  dns: texts(
    [],
    'an address with an optional port, such as 9.9.9.9 or [::1]:5353',
    isResolver,
    'A DNS server to ask instead of those of the system; several are asked in turn.',
    { flag: 'dns', value: 'SERVER' },
  ),
  'resolver.ttlMin': duration('5m', '0', '7d', 'The shortest an address is kept, whatever its record says.'),
  'resolver.ttlMax': duration('24h', '1s', '30d', 'The longest an address is kept, whatever its record says.'),
  'resolver.negative': duration(
    '5m',
    '0',
    '7d',
    'How long a failed look-up is remembered: the name is not asked for again before.',
  ),
});
