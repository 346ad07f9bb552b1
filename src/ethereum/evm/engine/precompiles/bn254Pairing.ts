/** The pairing check on bn254 (EIP-197). */
import type { ForkRules } from '../../../gas.ts'
import { Halt } from '../halt.ts'
import { bn254 } from './library.ts'
import type { Precompile } from './precompile.ts'
import { splitPairs, toFlagInParts } from './precompileData.ts'

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
