/** RIPEMD-160 (Yellow Paper, appendix E). */
import { ripemd160 as hash } from '@noble/hashes/legacy.js'
import { gasByWord, type Precompile } from './precompile.ts'

/** RIPEMD-160 of the input, as a word. */
export const ripemd160: Precompile = {
  gas: gasByWord(600, 120),
  run(input) {
    const word = new Uint8Array(32)
    word.set(hash(input), 12)
    return word
  },
}
