/** Why links and seeds were not taken, in words. */
import type { RefusalReason } from '../url/normal-form.js';
import type { TrapName } from '../url/traps.js';

/** Where each is counted: `url/screen.ts`, `workers/link-screen.ts`, `admit/admission.ts`, `embedded/territory.ts`. */
type RefusalName =
  | RefusalReason
  | TrapName
  | ('scope' | 'rules' | 'include' | 'exclude' | 'blocked' | 'port' | 'nofollow' | 'sitemap-host')
  | ('redirects' | 'budget' | 'full' | 'hosts' | 'guard.address');

/** Each after a number of links. */
const REFUSALS: Readonly<Record<RefusalName, string>> = {
  scope: 'out of scope',
  rules: 'that a rule rejects',
  include: 'that match no --include',
  exclude: 'that match an --exclude',
  blocked: 'to blocked hosts',
  nofollow: 'that their pages ask not to be followed',
  'sitemap-host': 'to other hosts than that of their sitemap',
  syntax: 'that are no URL',
  scheme: 'that are neither http nor https',
  host: 'whose host no DNS can hold',
  port: 'to ports where no web server lives',
  'guard.address': 'to addresses that are not public',
  length: 'too long',
  depth: 'too deep',
  repeat: 'that repeat themselves',
  queries: 'with one query too many',
  redirects: 'after too many redirects',
  budget: 'over the budget of their host',
  full: 'to hosts with too many waiting URLs',
  hosts: 'to more hosts of a domain than may be known',
};

/** `7 out of scope`; a name that has no words stands for itself. */
export const refusedWords = (name: string, figure: string): string =>
  `${figure} ${Object.hasOwn(REFUSALS, name) ? REFUSALS[name as RefusalName] : name}`;
