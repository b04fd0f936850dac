/**
 * The texts that options accept. Each function returns the normal spelling, or null if the text is not allowed. They
 * only check the form: what an address may be used for is decided by the address guard.
 */
import { parseUrl } from '../parse-url.js';

const CONTACT_LIMIT = 200;

/**
 * A contact as it stands in the User-Agent: an http(s) URL or `mailto:`; a bare mail address becomes the latter.
 * Only printable ASCII without spaces and parentheses, since it stands in a header's comment (RFC 9110, 5.6.5).
 */
export function normalizeContact(value: string): string | null {
  const contact = /^[^\s@:/]+@[^\s@:/]+$/.test(value) ? `mailto:${value}` : value;
  if (contact.length > CONTACT_LIMIT || !/^[!-'*-[\]-~]+$/.test(contact)) return null;
  if (/^mailto:[^\s@]+@[^\s@]+$/i.test(contact)) return contact;
  return isHttpUrl(contact) === null ? null : contact;
}

/** An absolute http(s) URL with a host and without credentials. */
export function isHttpUrl(value: string): string | null {
  if (value.length > 8192 || !/^https?:\/\//i.test(value)) return null;
  const url = parseUrl(value);
  return url !== null && url.username === '' && url.password === '' ? value : null;
}

/** A glob: any text without spaces. */
export function isPattern(value: string): string | null {
  return value !== '' && value.length <= 1000 && !/\s/.test(value) ? value : null;
}

/** The name of a query parameter; a `*` may stand at its end. */
export function isParameter(value: string): string | null {
  return /^[^\s*&=#;]{1,100}\*?$/.test(value) ? value : null;
}

/** An IP address, without brackets. */
export function isAddress(value: string): string | null {
  return addressWidth(value) > 0 ? value.toLowerCase() : null;
}

/** `10.0.0.0/8`, `fd00::/8`; a lone address is a range of one. */
export function isCidr(value: string): string | null {
  const [address, bits, ...more] = value.split('/');
  const width = addressWidth(address);
  if (width === 0 || more.length > 0) return null;
  return bits === undefined || isPrefix(bits, width) ? value : null;
}

/** `TYPE=MODULE`: a media type without parameters, and the path of a JavaScript module. */
export function isHandler(value: string): string | null {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+=./i.test(value) ? value : null;
}

/** `PATTERN=ADDRESS[/PREFIX]`, where the pattern is a host name with `*` for any run of characters. */
export function isResolveRule(value: string): string | null {
  const at = value.indexOf('=');
  if (at <= 0 || !/^[^\s/:?#=]{1,255}$/.test(value.slice(0, at))) return null;
  return isCidr(value.slice(at + 1)) === null ? null : value.toLowerCase();
}

/** `ADDRESS[:PORT]`, with brackets around an IPv6 address that has a port. */
export function isResolver(value: string): string | null {
  if (addressWidth(value) > 0) return value;
  const match = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value);
  if (!match) return null;
  const [, six, four, port] = match;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  return addressWidth(six ?? four) === (six === undefined ? 32 : 128) ? value : null;
}

/** 32, 128, or 0 for what is not an IP address. */
function addressWidth(value: string): 0 | 32 | 128 {
  const octets = value.split('.');
  if (octets.length === 4 && octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256))
    return 32;
  return /^[0-9a-f:.]{2,45}$/i.test(value) && value.includes(':') && parseUrl(`http://[${value}]/`) !== null ? 128 : 0;
}

function isPrefix(bits: string, width: number): boolean {
  return /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= width;
}
