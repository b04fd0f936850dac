/** How much of an archived body is read again: as much as the crawler itself keeps by default (DESIGN 7). */
import type { DecodeCaps } from '../fetch/decode.js';

const MIB = 1024 * 1024;

export const BODY_CAPS: DecodeCaps = { decoded: 64 * MIB, ratio: 200, ratioFrom: MIB };
