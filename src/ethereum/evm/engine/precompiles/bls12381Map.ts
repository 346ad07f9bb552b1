/** Mapping of field elements to points of BLS12-381 (EIP-2537). */
import { Halt } from '../halt.ts'
import { bls12381 } from './library.ts'
import type { Precompile } from './precompile.ts'

/** bls12381MapFpToG1: a field element → a point of G1. */
export const bls12381MapFpToG1 = createMap('g1', 64, 5500)
/** bls12381MapFp2ToG2: an element of the quadratic extension → a point of G2. */
export const bls12381MapFp2ToG2 = createMap('g2', 128, 23_800)

function createMap(group: 'g1' | 'g2', length: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== length) throw new Halt('invalid input length')
      return bls12381()[group].fromElement(input)
    },
  }
}
