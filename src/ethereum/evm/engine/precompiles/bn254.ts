/** Addition on bn254 (EIP-196). */

import type { ForkRules } from '../../../gas.ts'
import { Halt } from '../halt.ts'
import { bn254, type Precompile, readPadded, splitPairs, toFlagInParts } from './precompile.ts'

/** bn254Add: two points → their sum; cheaper since Istanbul (EIP-1108). */
export function createBn254Add({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 150 : 500
  return {
    gas: () => gas,
    run: (input) => bn254().add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
  }
}

// Scalar multiplication on bn254 (EIP-196).

/** bn254Mul: a point and an integer → their product; cheaper since Istanbul (EIP-1108). */
export function createBn254Mul({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 6000 : 40_000
  return {
    gas: () => gas,
    run: (input) => bn254().multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
  }
}

// The pairing check on bn254 (EIP-197).

const G1_LENGTH = 64
const PAIR_LENGTH = 192

/**
 * bn254Pairing: pairs of points → whether the product of their pairings is one; cheaper since Istanbul
 * (EIP-1108).
 */
export function createBn254Pairing({ istanbul }: ForkRules): Precompile {
  const base = istanbul ? 45_000 : 100_000
  const perPair = istanbul ? 34_000 : 80_000
  return {
    gas: ({ length }) => base + perPair * Math.floor(length / PAIR_LENGTH),
    run(input) {
      if (input.length % PAIR_LENGTH !== 0) throw new Halt('bad elliptic curve pairing size')
      return toFlagInParts(bn254().pairing(splitPairs(input, G1_LENGTH, PAIR_LENGTH)))
    },
  }
}
