/** Addition on BLS12-381 (EIP-2537). */
import { Halt } from '../halt.ts'
import { bls12381 } from './library.ts'
import type { Precompile } from './precompile.ts'

/** bls12381G1Add: two points of G1 → their sum. */
export const bls12381G1Add = createAdd('g1', 128, 375)
/** bls12381G2Add: two points of G2 → their sum. */
export const bls12381G2Add = createAdd('g2', 256, 600)

function createAdd(group: 'g1' | 'g2', pointLength: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== 2 * pointLength) throw new Halt('invalid input length')
      return bls12381()[group].add(input.subarray(0, pointLength), input.subarray(pointLength))
    },
  }
}
