/** ECRECOVER: the address that signed a hash (Yellow Paper, appendix E). */
import type { Crypto } from '../../../../base/crypto/crypto.ts'
import { InvalidSenderError } from '../../../../base/crypto/errors.ts'
import type { Precompile } from './precompile.ts'
import { readPadded } from './precompileData.ts'

const GAS = 3000
const INPUT_LENGTH = 128
/** The index of v's last byte. */
const V = 63

/** ecrecover: hash ‖ v ‖ r ‖ s → the address as a word; no output if there is none. */
export function createEcrecover({ keccak256, raw }: Crypto): Precompile {
  return {
    gas: () => GAS,
    run(input) {
      const data = readPadded(input, 0, INPUT_LENGTH)
      if (data.subarray(32, V).some((byte) => byte !== 0)) return new Uint8Array(0)
      const parity = data[V]! - 27
      let publicKey: Uint8Array
      try {
        publicKey = raw.recover(data.subarray(0, 32), data.subarray(64, 96), data.subarray(96), parity)
      } catch (error) {
        // Also for a parity other than 0 and 1.
        if (error instanceof InvalidSenderError) return new Uint8Array(0)
        throw error
      }
      return keccak256(publicKey).fill(0, 0, 12)
    },
  }
}
