/** The pairing check on BLS12-381 (EIP-2537). */
import { Halt } from '../halt.ts'
import { bls12381 } from './library.ts'
import type { Precompile } from './precompile.ts'
import { splitPairs, toFlagInParts } from './precompileData.ts'

const G1_LENGTH = 128
const PAIR_LENGTH = 384

/** bls12381Pairing: pairs of a point of G1 and one of G2 → whether the product of their pairings is one. */
export const bls12381Pairing: Precompile = {
  gas: ({ length }) => 37_700 + 32_600 * Math.floor(length / PAIR_LENGTH),
  run(input) {
    if (input.length === 0 || input.length % PAIR_LENGTH !== 0) throw new Halt('invalid input length')
    return toFlagInParts(bls12381().pairing(splitPairs(input, G1_LENGTH, PAIR_LENGTH)))
  },
}
