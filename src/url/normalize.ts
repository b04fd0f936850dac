/** URLs to normal forms: the entrance of this folder (DESIGN section 5; `docs/urls.md`). */
import { NormalForm, type NormalUrl, type UrlRefusal } from './normal-form.js';
import { DEFAULT_KEY_OPTIONS, type KeyOptions } from './options.js';
import { queryEncoder } from './query-charset.js';
import { LinkResolver } from './resolver.js';

export type { NormalUrl, UrlRefusal } from './normal-form.js';
export { DEFAULT_KEY_OPTIONS, type KeyOptions } from './options.js';

/** Resolves the links of one page. */
export interface UrlResolver {
  resolve(href: string): NormalUrl | UrlRefusal;
}

export interface Normalizer {
  readonly options: KeyOptions;
  /** `base` is an absolute URL; without one, `input` must be absolute itself. Never throws. */
  normalize(input: string, base?: string): NormalUrl | UrlRefusal;
  /** For the links of one page. `charset` is the page's encoding: the WHATWG standard encodes queries (only them) in
   * it. A base that is no URL is accepted: absolute links still resolve. */
  resolver(base: string, charset?: string): UrlResolver;
}

export function createNormalizer(options: KeyOptions = DEFAULT_KEY_OPTIONS): Normalizer {
  const engine = new NormalForm(options);
  const absolute = new LinkResolver(engine, undefined);
  return {
    options,
    normalize: (input, base) => (base === undefined ? absolute : new LinkResolver(engine, base)).resolve(input),
    resolver: (base, charset) => {
      const encode = charset === undefined ? undefined : queryEncoder(charset);
      return new LinkResolver(engine, base, encode);
    },
  };
}

let standard: Normalizer | undefined;

/** The normal form under the default options. */
export function normalizeUrl(input: string, base?: string): NormalUrl | UrlRefusal {
  standard ??= createNormalizer();
  return standard.normalize(input, base);
}

/** The host name that politeness counts by, or null for what is not an http(s) URL. */
export function hostOf(url: string): string | null {
  const normal = normalizeUrl(url);
  return normal.url === null ? null : normal.host;
}
