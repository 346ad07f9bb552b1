/** SHA-256 (Yellow Paper, appendix E). */
import { nobleHashes } from '../../../../base/crypto/hashes.ts'
import { gasByWord, type Precompile } from './precompile.ts'

/** SHA-256 of the input. */
export const sha256: Precompile = { gas: gasByWord(60, 12), run: (input) => nobleHashes().sha256(input) }
