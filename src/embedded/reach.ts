/** Which seeds may join a crawl, and how far it may reach: beyond this machine only with a contact and a delay. */

import { checkReach } from '../config/load-config.js';
import type { CrawlOptions } from '../crawl-options.js';
import type { SeenFilter } from '../dedupe/bloom-seen.js';
import type { Resolver } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { inCidr, parseCidr, parseIp } from '../fetch/ip.js';
import type { DnsResolver } from '../fetch/resolver.js';
import { formatDuration } from '../units.js';
import type { NormalUrl } from '../url/normalize.js';
import type { Identity } from './identity.js';
import type { Territory } from './territory.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((range) => parseCidr(range)!);

function isLoopback(address: string): boolean {
  const bytes = parseIp(address);
  return bytes !== null && LOOPBACK.some((range) => inCidr(range, bytes));
}

const isFree = ({ config }: CrawlOptions): boolean => config.contact !== null && config.delay > 0;

/** What is asked about seeds. */
export interface SeedJudges {
  readonly who: Identity;
  readonly land: Territory;
  readonly seen: SeenFilter;
  readonly resolver: DnsResolver;
}

/** Asked before any of these seeds is admitted.
 * @throws UserError (usage) for one that may not join this crawl, or that it may not reach */
export async function checkSeeds(
  judges: SeedJudges,
  options: CrawlOptions,
  seeds: readonly NormalUrl[],
): Promise<void> {
  const { who, resolver } = judges;
  const mayJoin = who.isNew || who.lacksSeeds || options.add;
  const stranger = mayJoin ? undefined : seeds.find((seed) => isStranger(judges, seed));
  if (stranger !== undefined) {
    throw new UserError(
      `${options.dir} holds a crawl with other seeds (${stranger.fetch} is not one of them): give --add to let new ` +
        'seeds join it, or another --dir.',
      2,
    );
  }
  await checkReachOf(
    resolver,
    options,
    seeds.map(({ host }) => host),
  );
}

/** What is known is no stranger, even if it was a link; nor is what would be refused. */
function isStranger({ land, seen }: SeedJudges, seed: NormalUrl): boolean {
  return seen.get(...land.keyOf(seed.url)) === -1 && land.refusesSeed(seed) === null && !land.isListed?.(seed.host);
}

/** ms: less between two requests is for servers of one's own. */
const HASTY = 200;

/** What is to be said of a delay that is short for a server of somebody else's; null if it is not, or if all hosts are of this
 * machine. Nobody is asked for a name: one that a server would have to be asked for is taken to be elsewhere. */
export function hasteWords(resolver: DnsResolver, { config }: CrawlOptions, hosts: Iterable<string>): string | null {
  if (config.delay >= HASTY) return null;
  for (const host of hosts) {
    const known = resolver.withoutDns(host);
    if (known?.addresses.every(isLoopback)) continue;
    return (
      `A delay of ${formatDuration(config.delay)} is for servers of your own: others may take it for an attack, and ${host} is not on this ` +
      'machine. The default is 1s.'
    );
  }
  return null;
}

/** Told before anything is fetched.
 * @throws UserError (usage) for a seed's host beyond this machine without what that needs */
export async function checkReachOf(
  resolver: DnsResolver,
  options: CrawlOptions,
  hosts: Iterable<string>,
): Promise<void> {
  if (isFree(options)) return;
  let last = '';
  for (const host of hosts) {
    if (host === last) continue; // most lists have the pages of a host side by side
    last = host;
    // What has to be asked of the resolvers of this machine is beyond it: nobody is asked about a crawl that will be
    // refused. Resolvers that the operator names may be of a closed network, and are.
    const known = resolver.withoutDns(host);
    if (known === null && options.config.dns.length === 0) checkReach(options.config, host);
    const answer = known ?? (await resolver.resolve(host));
    const isHere = 'code' in answer || answer.addresses.every(isLoopback);
    checkReach(options.config, isHere ? null : host);
  }
}

/** The same for hosts that are met later: without what it needs, nothing beyond this machine has an address. */
export function reaching(resolver: Resolver, options: CrawlOptions): Resolver {
  if (isFree(options)) return resolver;
  return {
    resolve: async (host) => {
      const answer = await resolver.resolve(host);
      if ('code' in answer || answer.addresses.every(isLoopback)) return answer;
      return { code: 'dns.failed', ttlMs: answer.ttlMs, alone: false };
    },
  };
}
