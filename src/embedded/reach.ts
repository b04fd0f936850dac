/** Which seeds may join a crawl, and how far it may reach: beyond this machine only with a contact and a delay. */

import { checkReach } from '../config/load-config.js';
import type { CrawlOptions } from '../crawl-options.js';
import type { Resolver } from '../engines/ports.js';
import { UserError } from '../errors.js';
import { inCidr, parseCidr, parseIp } from '../fetch/ip.js';
import type { DnsResolver } from '../fetch/resolver.js';
import type { NormalUrl } from '../url/normalize.js';
import type { Identity } from './identity.js';
import type { Territory } from './territory.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((range) => parseCidr(range)!);

function isLoopback(address: string): boolean {
  const bytes = parseIp(address);
  return bytes !== null && LOOPBACK.some((range) => inCidr(range, bytes));
}

const isFree = ({ config }: CrawlOptions): boolean => config.contact !== null && config.delay > 0;

/** Asked before anything is begun.
 * @throws UserError (usage) for seeds that may not join this crawl, or that it may not reach */
export async function checkSeeds(
  who: Identity,
  land: Territory,
  resolver: DnsResolver,
  options: CrawlOptions,
): Promise<void> {
  const stranger = land.seeds[who.seeds.length]; // those of earlier runs come first
  if (!who.isNew && stranger !== undefined && !options.add) {
    throw new UserError(
      `${options.dir} holds a crawl with other seeds (${stranger.fetch} is not one of them): give --add to let new ` +
        'seeds join it, or another --dir.',
      2,
    );
  }
  await checkSeedReach(resolver, options, land.seeds);
}

/** Told before anything is fetched.
 * @throws UserError (usage) for a seed beyond this machine without what that needs */
async function checkSeedReach(
  resolver: DnsResolver,
  options: CrawlOptions,
  seeds: readonly NormalUrl[],
): Promise<void> {
  if (isFree(options)) return;
  for (const { host } of seeds) {
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
      return { code: 'dns.failed', ttlMs: answer.ttlMs };
    },
  };
}
