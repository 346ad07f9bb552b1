/** The check of a KZG proof (EIP-4844). */

import { hexToBytes } from '../../../../base/bytes.ts'
import { nobleHashes } from '../../../../base/crypto/hashes.ts'
import { Halt } from '../halt.ts'
import { kzg } from './library.ts'
import type { Precompile } from './precompile.ts'

const GAS = 50_000
const INPUT_LENGTH = 192
/** The first byte of a versioned hash, in place of the first of the commitment's hash. */
const VERSION = 0x01
/** The field elements in a blob and the order of their field, a word each. */
const OUTPUT = hexToBytes(
  `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
)

/** pointEvaluation: versioned hash ‖ point ‖ value ‖ commitment ‖ proof → constants if the proof is valid. */
export const pointEvaluation: Precompile = {
  gas: () => GAS,
  run(input) {
    if (input.length !== INPUT_LENGTH) throw new Halt('invalid input length')
    const commitment = input.subarray(96, 144)
    const hash = nobleHashes().sha256(commitment)
    hash[0] = VERSION
    if (hash.some((byte, i) => byte !== input[i])) throw new Halt('mismatched versioned hash')
    const error = kzg().proofError(
      commitment,
      input.subarray(32, 64),
      input.subarray(64, 96),
      input.subarray(144),
    )
    if (error !== undefined) throw new Halt(`error verifying kzg proof: ${error}`)
    return OUTPUT.slice()
  },
}
