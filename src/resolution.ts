/** What the resolver says of a host, as the frontier takes it. */
import type { ResolveAnswer } from './engines/ports.js';
import { OUTCOMES, UserError } from './errors.js';
import type { AddressGuard } from './fetch/address-guard.js';
import type { Resolution } from './frontier/lease.js';

/** The addresses of an answer that the operator's rules and the guard let through, or until when there is none.
 * @param now of the loop, whole ms, taken after the answer
 * @param isRefused by a rule of the operator's, for the family of the address */
export function resolutionOf(
  answer: ResolveAnswer,
  guard: AddressGuard,
  named: boolean,
  now: number,
  isRefused: (address: string) => boolean = () => false,
): Resolution {
  if ('code' in answer) {
    // one more, since `now` is whole: the next look-up is a real one, not this answer again
    const until = now + Math.ceil(answer.ttlMs) + 1;
    return { code: answer.code, words: answer.code, until, alone: answer.alone };
  }
  const wanted = answer.addresses.filter((address) => !isRefused(address));
  if (wanted.length === 0 && answer.addresses.length > 0)
    return { code: 'guard.family', words: OUTCOMES['guard.family'].words };
  const refusals = wanted.map((address) => guard.checkAddress(address, { named }));
  const addresses = wanted.filter((_, i) => refusals[i] === null);
  if (addresses.length > 0) return { addresses, until: now + answer.ttlMs };
  const refusal = refusals.find((r) => r !== null);
  if (refusal === undefined || refusal === null) throw new UserError('the resolver answered without an address');
  return { code: 'guard.address', words: refusal.reason };
}
