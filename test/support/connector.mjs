// Loaded before the program (`node --import`), in every thread: no socket of it connects. Each attempt is written down as a
// line `<host> <port>` of CONNECTOR_LOG and refused.
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const log = process.env.CONNECTOR_LOG ?? '/dev/null';

net.Socket.prototype.connect = function (/** @type {any[]} */ ...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  appendFileSync(log, `${first.host ?? first.path} ${first.port}\n`);
  process.nextTick(() => this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
  return this;
};
