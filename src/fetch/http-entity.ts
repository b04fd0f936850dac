/** From the bytes of a message body to the entity and its decoded form. */
import { type Decoded, decode } from './decode.js';
import { type HeaderList, mediaTypeOf } from './http-headers.js';
import type { FetchCaps } from './http-messages.js';

export interface EntityParts {
  /** Without transfer codings. */
  readonly payload: Buffer;
  /** Without content codings too. */
  readonly body: Buffer;
  readonly code: Decoded['code'];
  /** The body went over its cap. */
  readonly cut: boolean;
}

/** Is an unlabelled gzip body of this type a mistake, and not the document? */
export const isTextual = (mediaType: string): boolean => TEXTUAL.test(mediaType);
const TEXTUAL = /^(?:text\/|$)|[/+](?:html|xml|json|javascript)$/;

/** Whether reading it may make more bytes than there are. */
export const mayBeCoded = (raw: Buffer, headers: HeaderList): boolean =>
  (raw[0] === 0x1f && raw[1] === 0x8b) ||
  headers.get('content-encoding') !== null ||
  headers.tokens('transfer-encoding').some((coding) => coding !== 'chunked');

/** Undoes what is left of the transfer codings (`gzip, chunked` leaves gzip), then the content codings. Never rejects. */
export async function readEntity(raw: Buffer, headers: HeaderList, caps: FetchCaps): Promise<EntityParts> {
  const transfer = headers.tokens('transfer-encoding').filter((coding) => coding !== 'chunked');
  let payload = raw;
  if (transfer.length > 0) {
    const plain = await decode(raw, transfer, caps);
    if (plain.code !== 'ok') return { payload: raw, body: plain.body, code: plain.code, cut: plain.cut };
    payload = plain.body;
  }
  const sniff = caps.gunzip === true || isTextual(mediaTypeOf(headers));
  const { body, code, cut } = await decode(payload, headers.tokens('content-encoding'), caps, sniff);
  return { payload, body, code, cut };
}
