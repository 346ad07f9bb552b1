/** RIPEMD-160 (Yellow Paper, appendix E). */
import { nobleHashes } from '../../../../base/crypto/hashes.ts'
import { gasByWord, type Precompile } from './precompile.ts'

/** RIPEMD-160 of the input, as a word. */
export const ripemd160: Precompile = {
  gas: gasByWord(600, 120),
  run(input) {
    const word = new Uint8Array(32)
    word.set(nobleHashes().ripemd160(input), 12)
    return word
  },
}
