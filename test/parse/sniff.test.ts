import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sniffType } from '../../src/parse/sniff.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const PNG = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const PDF = bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\x00');
const RSS = '<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE x>\n<rss version="2.0"><channel>';
const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`;

describe('the type of a body', () => {
  // MIME Sniffing Standard, section 7, step by step
  test.each([
    // an unknown type
    [null, '  <!doctype html>', 'text/html'],
    [null, '<html>', 'text/html'],
    [null, '\n<A href=x>', 'text/html'],
    [null, '<p>', 'text/html'],
    [null, '<pre>', 'text/plain'],
    [null, '<!--comment', 'text/html'],
    [null, '<?xml version="1.0"?><a/>', 'text/xml'],
    [null, '%PDF-1.4', 'application/pdf'],
    [null, '%!PS-Adobe-3.0', 'application/postscript'],
    [null, 'Just words.', 'text/plain'],
    [null, '', 'text/plain'],
    [null, '\xef\xbb\xbf\x00', 'text/plain'],
    [null, '\xfe\xff\x00a', 'text/plain'],
    [null, 'GIF89a....', 'image/gif'],
    [null, 'PK\x03\x04\x14', 'application/zip'],
    [null, '\x1f\x8b\x08\x00', 'application/x-gzip'],
    [null, '\x01\x02', 'application/octet-stream'],
    ['unknown/unknown', '<html>', 'text/html'],
    ['application/unknown; x=y', '<html>', 'text/html'],
    ['*/*', '<html>', 'text/html'],
    ['garbage', '<html>', 'text/html'],
    // what old servers send with everything
    ['text/plain', 'words', 'text/plain'],
    ['text/plain', '<html>', 'text/plain'],
    ['text/plain', 'a\x00b', 'application/octet-stream'],
    ['text/plain; charset=ISO-8859-1', '\x01\x02', 'application/octet-stream'],
    ['text/plain; charset=UTF-8', '\xff\xfe\x01', 'text/plain'],
    ['text/plain;charset=utf-8', '\x01\x02', 'text/plain'],
    // XML is what it says
    ['application/xml', '<html>', 'application/xml'],
    ['application/atom+xml', '%PDF-', 'application/atom+xml'],
    // feeds that call themselves HTML
    ['text/html', RSS, 'application/rss+xml'],
    ['text/html; charset=utf-8', '\xef\xbb\xbf<feed xmlns="http://www.w3.org/2005/Atom">', 'application/atom+xml'],
    ['text/html', RDF, 'application/rss+xml'],
    ['text/html', '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">', 'text/html'],
    ['text/html', '<html><rss>', 'text/html'],
    ['text/html', 'rss', 'text/html'],
    ['text/html', '<!-- never closed <rss>', 'text/html'],
    // everything else is what it says
    ['application/octet-stream', '<html>', 'application/octet-stream'],
    ['Application/JSON; charset=utf-8', '{}', 'application/json'],
    ['image/png', '<html>', 'image/png'],
  ])('%j with %j is %s', (contentType, body, type) => {
    expect(sniffType(contentType, bytes(body))).toBe(type);
  });

  test.each([
    ['text/html', PDF, 'application/pdf'],
    ['text/html; charset=utf-8', PNG, 'image/png'],
    ['text/plain;charset=utf-8', PNG, 'image/png'],
    ['text/html', bytes('BM is a company\n'), 'text/html'],
    ['text/html', bytes('%PDF- is how a PDF begins'), 'text/html'],
  ])('beyond the standard: %s that is binary and has a signature is what it is', (contentType, body, type) => {
    expect(sniffType(contentType, body)).toBe(type);
  });

  test('is what the server says where it forbids to sniff, and never a script where it says nothing', () => {
    expect(sniffType('text/html', PNG, true)).toBe('text/html');
    expect(sniffType('text/plain', bytes('\x01\x02'), true)).toBe('text/plain');
    expect(sniffType(null, bytes('<html>'), true)).toBe('text/plain');
  });

  test('is a type for every header and body, and does not look beyond the first 1,445 bytes', () => {
    fc.assert(
      fc.property(fc.option(fc.string()), fc.uint8Array({ maxLength: 3000 }), (header, body) => {
        const type = sniffType(header, body);
        expect(type).toMatch(/^[^\s/;]+\/[^\s/;]+$/);
        expect(sniffType(header, body.subarray(0, 1445))).toBe(type);
      }),
    );
  });
});
