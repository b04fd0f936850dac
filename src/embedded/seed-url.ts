/** A seed as people write it. */
import { UserError } from '../errors.js';
import { parseUrl } from '../parse-url.js';

const LONGEST_SEED = 8192;
/** `example.org`, `localhost:8080/docs`: a host name with a dot (or localhost), no scheme, no credentials. */
const BARE_HOST = /^(?:localhost|[^\s/?#@:\\[\]-][^\s/?#@:\\[\]]*\.[^\s/?#@:\\[\]]+)(?::\d+)?(?:[/?#]|$)/i;

/**
 * The seed with a scheme, otherwise as it was given: normal forms are the business of `url/`.
 * @param given a URL; a host name without a scheme means https
 * @param where it stands, for the message
 * @throws UserError (usage) for what is no http(s) URL
 */
export function seedUrl(given: string, where: string): string {
  const seed = BARE_HOST.test(given) ? `https://${given}` : given;
  const url = given.length <= LONGEST_SEED && !/\s/.test(given) ? parseUrl(seed) : null;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '') return seed;
  const shown = given.length > 100 ? `${given.slice(0, 99)}…` : given;
  throw new UserError(`"${shown}" (${where}) is not a URL that can be crawled: give an http(s) URL.`, 2);
}
