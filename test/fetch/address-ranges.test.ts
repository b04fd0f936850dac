import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cdnAddresses } from '../../src/embedded/cdn-list.js';
import { UserError } from '../../src/errors.js';
import { AddressRanges } from '../../src/fetch/address-ranges.js';
import { formatIp, inCidr, parseCidr, parseIp } from '../../src/fetch/ip.js';

test('a list holds exactly the addresses that one of its ranges holds', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const ip = fc.oneof(bytes(4), bytes(16));
  const range = fc.tuple(ip, fc.nat(128)).map(([base, bits]) => `${formatIp(base)}/${bits % (base.length * 8 + 1)}`);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), fc.array(ip, { maxLength: 8 }), (ranges, addresses) => {
      const list = AddressRanges.parse(ranges.join('\n'), 'it');
      const near = ranges.map((text) => parseIp(text.split('/')[0])!);
      for (const address of [...addresses, ...near]) {
        const held = ranges.some((text) => inCidr(parseCidr(text)!, address));
        expect(list.has(formatIp(address))).toBe(held);
      }
    }),
  );
});

test('comments and empty lines are no ranges; a line that is none is named', () => {
  const list = AddressRanges.parse('# a list\n\n192.0.2.0/24 # documentation\r\n 2001:db8::/32\n198.51.100.7\n', 'it');
  expect(list.size).toBe(3);
  expect(['192.0.2.200', '2001:db8:1::', '198.51.100.7', '198.51.100.8', 'x'].map((a) => list.has(a))).toEqual([
    ...[true, true, true],
    ...[false, false],
  ]);
  expect(() => AddressRanges.parse('192.0.2.0/24\n192.0.2.0/33', 'my list')).toThrow(
    /^my list, line 2: "192.0.2.0\/33"/,
  );
});

test('the list that comes with the program knows the large CDNs, and nobody else', () => {
  const isCdn = cdnAddresses(null);
  const cdns = ['104.16.132.229', '2606:4700::6810:84e5', '151.101.1.69', '18.64.0.1', '13.32.0.1', '23.32.3.7'];
  expect(cdns.filter((address) => !isCdn(address))).toEqual([]);
  const others = ['8.8.8.8', '127.0.0.1', '93.184.216.34', '192.0.2.1', '10.0.0.1', '::1', '2001:db8::1', '172.63.0.1'];
  expect(others.filter(isCdn)).toEqual([]);
});

test('a list that is not there is named', () => {
  expect(() => cdnAddresses('/no/such/list')).toThrow(UserError);
});
