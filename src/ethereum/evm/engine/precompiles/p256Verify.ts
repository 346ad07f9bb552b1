/** Verification of signatures over secp256r1 (EIP-7951). */
import { p256 } from './library.ts'
import type { Precompile } from './precompile.ts'
import { toFlag } from './precompileData.ts'

const GAS = 6900
const INPUT_LENGTH = 160

/** p256Verify: hash ‖ r ‖ s ‖ x ‖ y → 1 if the signature is valid, otherwise nothing. */
export const p256Verify: Precompile = {
  gas: () => GAS,
  run(input) {
    const isValid =
      input.length === INPUT_LENGTH &&
      p256().verify(input.subarray(0, 32), input.subarray(32, 96), input.subarray(96))
    return isValid ? toFlag(true) : new Uint8Array(0)
  },
}
