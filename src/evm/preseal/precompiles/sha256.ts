/** SHA-256 (Yellow Paper, appendix E). */
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { gasByWord, type Precompile } from './precompile.ts'

/** SHA-256 of the input. */
export const sha256: Precompile = { gas: gasByWord(60, 12), run: hash }
