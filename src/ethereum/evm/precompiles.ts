/** The precompiles: their addresses, and the hardforks that introduced them. */

import { toAddress } from '../../base/bytes.ts'
import { cached } from '../../base/collections.ts'
import type { Address } from '../../base/types.ts'
import type { ForkRules } from '../gas.ts'

/**
 * The address of each precompile as a number, and the hardfork that introduced it unless it is Frontier
 * (Yellow Paper, appendix E; EIPs 198, 196, 197, 152, 4844, 2537, 7951).
 */
const PRECOMPILES = {
  ecrecover: [0x01],
  sha256: [0x02],
  ripemd160: [0x03],
  identity: [0x04],
  modexp: [0x05, 'byzantium'],
  bn254Add: [0x06, 'byzantium'],
  bn254Mul: [0x07, 'byzantium'],
  bn254Pairing: [0x08, 'byzantium'],
  blake2f: [0x09, 'istanbul'],
  pointEvaluation: [0x0a, 'cancun'],
  bls12381G1Add: [0x0b, 'prague'],
  bls12381G1Msm: [0x0c, 'prague'],
  bls12381G2Add: [0x0d, 'prague'],
  bls12381G2Msm: [0x0e, 'prague'],
  bls12381Pairing: [0x0f, 'prague'],
  bls12381MapFpToG1: [0x10, 'prague'],
  bls12381MapFp2ToG2: [0x11, 'prague'],
  p256Verify: [0x100, 'osaka'],
} as const satisfies Record<string, readonly [address: number, since?: keyof ForkRules]>

/** The name of a precompile. */
export type PrecompileName = keyof typeof PRECOMPILES

/** The precompiles of a hardfork, with their addresses as numbers, in the order of the addresses. */
export function activePrecompiles(fork: ForkRules): readonly (readonly [PrecompileName, number])[] {
  return Object.entries(PRECOMPILES)
    .filter(([, [, since]]) => since === undefined || fork[since])
    .map(([name, [address]]) => [name as PrecompileName, address])
}

const byFork = new WeakMap<ForkRules, ReadonlySet<Address>>()

/** The addresses of a hardfork's precompiles; cached. */
export function precompilesOf(fork: ForkRules): ReadonlySet<Address> {
  return cached(byFork, fork, () => new Set(activePrecompiles(fork).map(([, address]) => toAddress(address))))
}
