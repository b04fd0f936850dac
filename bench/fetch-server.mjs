// The server of `fetch.ts`, in a process of its own so that only the client is counted: `node fetch-server.mjs [KEY CERT]`
// prints its port and answers each request with a page of 100 KB, compressed, or with 300 bytes for `/small`.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';

let text = '';
for (let x = 1; text.length < 100_000; ) {
  x = (x * 1103515245 + 12345) & 0x7fffffff;
  text += `<p>w${x % 20000} x${(x >> 8) % 20000}</p>\n`;
}
const head = (length, more) =>
  `HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/html; charset=utf-8\r\nETag: "abc"\r\n${more}Content-Length: ${length}\r\n\r\n`;
const coded = zlib.gzipSync(text, { level: 9 });
const page = Buffer.concat([Buffer.from(head(coded.length, 'Content-Encoding: gzip\r\n')), coded]);
const small = Buffer.from(head(300, '') + 'x'.repeat(300));

const serve = (socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => socket.write(data.includes('/small') ? small : page));
};
const [key, cert] = process.argv.slice(2).map((file) => readFileSync(file));
const server = key === undefined ? net.createServer(serve) : tls.createServer({ key, cert }, serve);
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
