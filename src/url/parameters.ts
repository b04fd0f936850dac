/**
 * Parameters of a query and of path segments: which are removed (DESIGN section 5), and the order of those that stay.
 *
 * Everything here works on two spellings of the same text at once: `raw`, as the parser serialised it, which is what
 * will be requested, and `normal`, percent-normalised, by which names are known. Percent normalisation never makes or
 * unmakes a delimiter, so the n-th piece of one is the n-th piece of the other.
 */
import { IS_ALPHANUMERIC } from './characters.js';
import type { KeyOptions } from './options.js';
import { normalizePercent } from './percent.js';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const NOTHING: readonly string[] = Object.freeze([]);

/** The removable names of one kind. */
class NameSet {
  private readonly exact = new Map<string, string>();
  private readonly globs: { prefix: string; name: string }[] = [];

  constructor(names: readonly string[]) {
    for (const name of names) {
      const lower = name.toLowerCase();
      if (lower.endsWith('*')) this.globs.push({ prefix: lower.slice(0, -1), name });
      else this.exact.set(lower, name);
    }
  }

  /** The option that names this parameter (`utm_*` for `UTM_Source`), or undefined. */
  match(parameter: string): string | undefined {
    const lower = parameter.toLowerCase();
    const exact = this.exact.get(lower);
    if (exact !== undefined) return exact;
    for (const glob of this.globs) if (lower.startsWith(glob.prefix)) return glob.name;
    return undefined;
  }

  /** Marks, for each first character (either case) of a name, which lengths are possible: bit n for n < 31, bit 31
   * for longer ones. Almost every parameter of a page is dismissed by this mask, without a slice. */
  markLengths(masks: Int32Array): void {
    const mark = (first: string, bits: number) => {
      for (const spelling of [first, first.toUpperCase()]) masks[spelling.charCodeAt(0) & 127] |= bits;
    };
    for (const name of this.exact.keys()) if (name !== '') mark(name[0], 1 << Math.min(name.length, 31));
    for (const { prefix } of this.globs) {
      if (prefix === '') masks.fill(-1);
      else mark(prefix[0], -1 << Math.min(prefix.length, 31));
    }
  }
}

/** What {@link ParameterRules.query} and {@link ParameterRules.path} leave behind: one object, read before the next
 * call, because a page asks 120 times. */
export class ParameterRules {
  raw = '';
  normal = '';
  /** Is `normal` other than what was given? */
  changed = false;
  /** Names of the removed parameters as the options write them, so that a page cannot invent counters. */
  removed: readonly string[] = NOTHING;

  private readonly tracking: NameSet;
  private readonly session: NameSet;
  private readonly pathSession: NameSet;
  private readonly tokenLength: number;
  private readonly lengths = new Int32Array(128);

  constructor(options: KeyOptions) {
    this.tracking = new NameSet(options.trackingParameters);
    this.session = new NameSet(options.sessionParameters);
    this.pathSession = new NameSet(options.pathSessionParameters);
    this.tokenLength = options.sessionTokenLength;
    this.tracking.markLengths(this.lengths);
    this.session.markLengths(this.lengths);
  }

  /**
   * Removes and sorts. `raw` and `normal` are queries without their `?`; afterwards `this.raw` has lost the removed
   * parameters and nothing else, `this.normal` is sorted by name, then value, and has no empty piece.
   */
  query(raw: string, normal: string): void {
    this.removed = NOTHING;
    this.raw = raw;
    this.normal = normal;
    this.changed = normal === '' || !this.isOrderly(normal);
    if (normal === '' || !this.changed) return;
    const rawPieces = raw.split('&');
    const normalPieces = raw === normal ? rawPieces : normal.split('&');
    const keptRaw: string[] = [];
    const keptNormal: string[] = [];
    const removed: string[] = [];
    for (let i = 0; i < normalPieces.length; i++) {
      const piece = normalPieces[i];
      const name = this.removable(piece);
      if (name !== undefined) {
        removed.push(name);
        continue;
      }
      keptRaw.push(rawPieces[i]);
      if (piece !== '') keptNormal.push(piece);
    }
    this.normal = keptNormal.sort(compareParameters).join('&');
    if (removed.length > 0) {
      this.raw = keptRaw.join('&');
      this.removed = removed;
    }
  }

  /** Removes session parameters from the segments of a path (DESIGN section 5, `;jsessionid=`). */
  path(raw: string): void {
    this.removed = NOTHING;
    this.raw = raw;
    const removed: string[] = [];
    const kept = raw.split('/').map((segment) => {
      const parameters = segment.split(';');
      return parameters
        .filter((parameter, i) => {
          const name = i === 0 ? undefined : this.removablePathParameter(normalizePercent(parameter));
          if (name !== undefined) removed.push(`;${name}`);
          return name === undefined;
        })
        .join(';');
    });
    if (removed.length === 0) return;
    this.raw = kept.join('/');
    this.removed = removed;
  }

  /** Is there nothing to remove, to sort or to drop? Looks without allocating. */
  private isOrderly(query: string): boolean {
    let previous = -1; // where the piece before this one starts
    for (let start = 0; start <= query.length; ) {
      let equals = -1;
      let end = start;
      for (; end < query.length; end++) {
        const code = query.charCodeAt(end);
        if (code === AMPERSAND) break;
        if (code === EQUALS && equals < 0) equals = end;
      }
      if (end === start) return false;
      const nameLength = (equals < 0 ? end : equals) - start;
      const mask = this.lengths[query.charCodeAt(start) & 127];
      if (mask !== 0 && (mask & (1 << Math.min(nameLength, 31))) !== 0) {
        if (this.removable(query.slice(start, end)) !== undefined) return false;
      }
      if (previous >= 0 && compareRanges(query, previous, start - 1, query, start, end) > 0) return false;
      previous = start;
      start = end + 1;
    }
    return true;
  }

  private removable(piece: string): string | undefined {
    const equals = piece.indexOf('=');
    const name = equals < 0 ? piece : piece.slice(0, equals);
    const tracking = this.tracking.match(name);
    if (tracking !== undefined) return tracking;
    const session = equals < 0 ? undefined : this.session.match(name);
    return session !== undefined && this.tokenEnd(piece, equals + 1) === piece.length ? session : undefined;
  }

  private removablePathParameter(parameter: string): string | undefined {
    const equals = parameter.indexOf('=');
    if (equals < 0) return undefined;
    const name = this.pathSession.match(parameter.slice(0, equals));
    if (name === undefined) return undefined;
    const end = this.tokenEnd(parameter, equals + 1);
    const route = end > 0 ? parameter.charAt(end) : 'x';
    return route === '' || route === '.' || route === '!' ? name : undefined;
  }

  /** Where the session token that starts at `start` ends, or -1 when what is there is too short for one. */
  private tokenEnd(text: string, start: number): number {
    let end = start;
    while (end < text.length && IS_ALPHANUMERIC[text.charCodeAt(end)] === 1) end++;
    return end - start >= this.tokenLength ? end : -1;
  }
}

/** Orders `name=value` pieces by name, then by value: `a=2` before `a-b=1`. */
export function compareParameters(a: string, b: string): number {
  return compareRanges(a, 0, a.length, b, 0, b.length);
}

function compareRanges(a: string, aStart: number, aEnd: number, b: string, bStart: number, bEnd: number): number {
  const shorter = Math.min(aEnd - aStart, bEnd - bStart);
  let inName = true;
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(aStart + i);
    const y = b.charCodeAt(bStart + i);
    if (x !== y) {
      // The shorter name comes first, whatever the longer one goes on with.
      if (inName && x === EQUALS) return -1;
      if (inName && y === EQUALS) return 1;
      return x - y;
    }
    if (x === EQUALS) inName = false;
  }
  return aEnd - aStart - (bEnd - bStart);
}
