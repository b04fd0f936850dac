import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../src/fetch/address-guard.js';
import { formatIp, inCidr, parseCidr, parseIp } from '../../src/fetch/ip.js';
import { FORBIDDEN_HOSTS } from '../support/guard-spellings.js';

const NAMED = { named: true };
const STRANGER = { named: false };
const guard = createGuard();
const addressOf = (host: string) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');

describe('addresses', () => {
  it('pass in no spelling of a place that is not the public web', () => {
    expect(new Set(FORBIDDEN_HOSTS).size).toBe(FORBIDDEN_HOSTS.length);
    expect(FORBIDDEN_HOSTS.length).toBeGreaterThanOrEqual(120);
    for (const host of FORBIDDEN_HOSTS) {
      const address = addressOf(host);
      expect([host, isIP(address) !== 0]).toEqual([host, true]); // with the guard off, a socket would take it
      for (const who of [STRANGER, NAMED]) {
        expect([host, guard.checkAddress(address, who)?.code]).toEqual([host, 'guard.address']);
      }
    }
  });

  it('pass if they are global unicast', () => {
    const addresses = [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
    ];
    addresses.push(
      '128.0.0.1',
      '169.253.255.255',
      '169.255.0.1',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.1',
      '192.167.1.1',
    );
    addresses.push(
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00:1450:4001::200e',
      '2001:200::1',
    );
    addresses.push('2001:4860:4860::8888', '2003::1', '64:ff9b::8.8.8.8', '2a00::5efe:808:808', '2620:fe::fe');
    for (const address of addresses) expect([address, guard.checkAddress(address, STRANGER)]).toEqual([address, null]);
  });

  it('are refused where they are none', () => {
    const none = [
      '',
      'localhost',
      'example.com',
      '127.1',
      '0x7f.0.0.1',
      '127.0.0.01',
      '256.1.1.1',
      '1.2.3.4.5',
      '1.2.3',
      ' 8.8.8.8',
    ];
    none.push(
      '8.8.8.8 ',
      '8.8.8.8\n',
      'fe80::1%eth0',
      '2606:4700::1111%1',
      '[2606:4700::1]',
      '1::2::3',
      ':::',
      '1:2:3:4:5:6:7',
      '::12345',
    );
    none.push(
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8:9',
      '::1.2.3',
      '1.2.3.4::',
      '2606::g',
      '8.8.8.8/32',
      '٨.8.8.8',
      'x'.repeat(10_000),
    );
    for (const address of none)
      expect([address, guard.checkAddress(address, NAMED)?.code]).toEqual([address, 'guard.address']);
  });

  it('say what they are', () => {
    expect(guard.checkAddress('169.254.169.254', STRANGER)?.reason).toBe('169.254.169.254 is a link-local address');
    expect(guard.checkAddress('64:ff9b::7f00:1', STRANGER)?.reason).toBe(
      '64:ff9b::7f00:1 is a NAT64 address of a loopback address',
    );
  });
});

describe('an opened range', () => {
  const opened = createGuard({ allowPrivate: ['10.0.0.0/8', '127.64.0.0/10', 'fd00::/8', '192.168.1.7'] });

  it('is open to named hosts only', () => {
    for (const address of ['10.1.2.3', '127.64.0.1', 'fd12::1', '192.168.1.7']) {
      expect([address, opened.checkAddress(address, NAMED)]).toEqual([address, null]);
      expect(opened.checkAddress(address, STRANGER)?.code).toBe('guard.address');
      expect(opened.isOpened(address)).toBe(true);
    }
  });

  it('opens nothing beside it, and no other form of its addresses', () => {
    for (const address of [
      '127.0.0.1',
      '127.63.255.255',
      '172.16.0.1',
      '192.168.1.8',
      'fc00::1',
      '::ffff:10.1.2.3',
      '::10.1.2.3',
      '2002:a01:203::',
      '64:ff9b::a01:203',
    ]) {
      expect([address, opened.checkAddress(address, NAMED)?.code]).toEqual([address, 'guard.address']);
      expect(opened.isOpened(address)).toBe(false);
    }
    expect(opened.isOpened('8.8.8.8')).toBe(false);
  });

  it('must be a range', () => {
    for (const range of [
      '',
      '10',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/08',
      '::/129',
      'localhost',
      '10.0.0.0/8/8',
    ]) {
      expect(() => createGuard({ allowPrivate: [range] })).toThrow(/--allow-private/);
    }
  });
});

describe('our own sockets', () => {
  const own = createGuard({
    allowPrivate: ['127.0.0.0/8', '10.0.0.0/8', '::1/128'],
    refuse: [
      { address: '127.0.0.1', port: 9000 },
      { address: '0.0.0.0', port: 5432 },
      { address: '::', port: 4222 },
      { address: '8.8.4.4', port: 6379 },
      { address: 'traces.test', port: 4318 },
    ],
    localAddresses: ['127.0.0.1', '10.0.0.5', '::1', 'fe80::1%eth0', '93.184.216.34'],
  });

  const reach = (address: string, port: number, name = 'a.test') => own.checkSocket(name, address, port);

  it('are refused, even inside an opened range', () => {
    expect(reach('127.0.0.1', 9000)).toEqual({
      code: 'guard.own',
      reason: '127.0.0.1 port 9000 belongs to this crawler',
    });
    expect(reach('8.8.4.4', 6379)?.code).toBe('guard.own');
    expect(reach('127.0.0.1', 9001)).toBeNull();
    expect(reach('127.0.0.2', 9000)).toBeNull();
  });

  it('are refused at each form of their address, and at that which stands for loopback', () => {
    for (const address of ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '0.0.0.0', '::ffff:0.0.0.0'])
      expect([address, reach(address, 9000)?.code]).toEqual([address, 'guard.own']);
    expect(reach('::1', 9000)).toBeNull(); // nothing listens there
    expect(reach('64:ff9b::808:404', 6379)?.code).toBe('guard.own');
  });

  it('are refused by the name that the configuration gives them, whatever its address is', () => {
    expect(reach('8.8.8.8', 4318, 'traces.test')?.code).toBe('guard.own');
    expect(reach('8.8.8.8', 4319, 'traces.test')).toBeNull();
    expect(reach('8.8.8.8', 4318)).toBeNull();
  });

  it('that listen everywhere are refused at every address of this machine', () => {
    for (const port of [5432, 4222]) {
      for (const address of ['127.0.0.1', '127.9.9.9', '10.0.0.5', '::1', '::', '93.184.216.34', '::ffff:10.0.0.5']) {
        expect([address, reach(address, port)?.code]).toEqual([address, 'guard.own']);
      }
      expect(reach('10.0.0.6', port)).toBeNull();
    }
  });

  it('that listen everywhere are refused at the addresses that the system has', () => {
    const guard = createGuard({ refuse: [{ address: '::', port: 4222 }] });
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    expect(addresses.length).toBeGreaterThan(0);
    for (const { address } of addresses)
      expect([address, guard.checkSocket('a.test', address.split('%')[0], 4222)?.code]).toEqual([address, 'guard.own']);
  });
});

describe('ports', () => {
  it('pass from 1024 up and at 80 and 443, except those of other protocols', () => {
    for (const port of [80, 443, 1024, 3000, 8000, 8080, 8443, 65535])
      expect([port, guard.checkPort(port)]).toEqual([port, null]);
    for (const port of [
      0,
      1,
      21,
      22,
      25,
      53,
      79,
      81,
      110,
      444,
      1023,
      1720,
      2049,
      5060,
      5061,
      6000,
      6667,
      10080,
      65536,
      -80,
      80.5,
      Number.NaN,
    ]) {
      expect([port, guard.checkPort(port)?.code]).toEqual([port, 'guard.port']);
    }
  });
});

describe('bytes', () => {
  it('are what node:net takes for an address, zone ids aside', () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.stringMatching(/^[0-9a-f:.]{0,24}$/),
      fc
        .array(fc.constantFrom('0', '1', 'ffff', '00', '255', '256', ':', '::', '.', 'g', '1.2.3.4'), { maxLength: 12 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (address) => {
        expect(parseIp(address)?.length ?? 0).toBe({ 0: 0, 4: 4, 6: 16 }[isIP(address)]);
      }),
      { numRuns: 1000 },
    );
  });

  it('are written in the one spelling that RFC 5952 and URLs use', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const text = formatIp(parseIp(address)!);
        expect(text).toBe(addressOf(address.includes(':') ? `[${address}]` : address));
        expect(parseIp(text)).toEqual(parseIp(address));
      }),
    );
  });

  it('lie in a range exactly if their first bits do', () => {
    const bits = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), (base, address, size) => {
        const range = parseCidr(`${base}/${size}`)!;
        const [a, b] = [parseIp(base)!, parseIp(address)!];
        expect(inCidr(range, b)).toBe(bits(a).slice(0, size) === bits(b).slice(0, size));
        expect(inCidr(range, a)).toBe(true);
      }),
    );
    expect(inCidr(parseCidr('::/0')!, parseIp('1.2.3.4')!)).toBe(false);
  });
});
