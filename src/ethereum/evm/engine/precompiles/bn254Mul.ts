/** Scalar multiplication on bn254 (EIP-196). */
import type { ForkRules } from '../../../gas.ts'
import { bn254 } from './library.ts'
import type { Precompile } from './precompile.ts'
import { readPadded } from './precompileData.ts'

/** bn254Mul: a point and an integer → their product; cheaper since Istanbul (EIP-1108). */
export function createBn254Mul({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 6000 : 40_000
  return {
    gas: () => gas,
    run: (input) => bn254().multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
  }
}
