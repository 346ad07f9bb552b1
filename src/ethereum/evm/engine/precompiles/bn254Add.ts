/** Addition on bn254 (EIP-196). */
import type { ForkRules } from '../../../gas.ts'
import { bn254 } from './library.ts'
import type { Precompile } from './precompile.ts'
import { readPadded } from './precompileData.ts'

/** bn254Add: two points → their sum; cheaper since Istanbul (EIP-1108). */
export function createBn254Add({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 150 : 500
  return {
    gas: () => gas,
    run: (input) => bn254().add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
  }
}
