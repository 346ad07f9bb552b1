/** The addresses of precompiles, by hardfork. */

import type { Address } from '../primitives/types.ts'
import type { ForkRules } from '../protocol/gas.ts'

/** Ranges of precompiles, with the hardfork that introduced them. */
const RANGES: readonly (readonly [fork: keyof ForkRules, first: number, last: number])[] = [
  // ecrecover, sha256, ripemd160, identity: active since Frontier.
  ['homestead', 0x01, 0x04],
  ['byzantium', 0x05, 0x08],
  ['istanbul', 0x09, 0x09],
  ['cancun', 0x0a, 0x0a],
  ['prague', 0x0b, 0x11],
  ['osaka', 0x100, 0x100],
]

const byFork = new WeakMap<ForkRules, ReadonlySet<Address>>()

/** The precompiles of a hardfork (Yellow Paper, appendix E; EIPs 196 to 198, 152, 4844, 2537, 7951). */
export function precompilesOf(fork: ForkRules): ReadonlySet<Address> {
  let addresses = byFork.get(fork)
  if (addresses === undefined) {
    const active = new Set<Address>()
    for (const [since, first, last] of RANGES) {
      if (since !== 'homestead' && !fork[since]) continue
      for (let at = first; at <= last; at++) active.add(`0x${at.toString(16).padStart(40, '0')}`)
    }
    addresses = active
    byFork.set(fork, addresses)
  }
  return addresses
}
