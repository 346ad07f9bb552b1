/** Copying of data (Yellow Paper, appendix E). */
import { gasByWord, type Precompile } from './precompile.ts'

/** The input. */
export const identity: Precompile = { gas: gasByWord(15, 3), run: (input) => input.slice() }
