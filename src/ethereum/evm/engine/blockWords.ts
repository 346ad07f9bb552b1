import { getOrInsert } from '../../../base/collections.ts'
import type { BlockEnv } from '../executor.ts'
import { addressToWord } from './journal.ts'
import { toEvmWord, type Word } from './word.ts'

/** The fields of a block as words, returned by the instructions COINBASE to BLOBBASEFEE. */
export interface BlockWords {
  readonly coinbase: Word
  readonly timestamp: Word
  readonly number: Word
  /** The difficulty; since the merge the beacon chain's randomness (EIP-4399). */
  readonly difficulty: Word
  readonly gasLimit: Word
  readonly baseFee: Word
  readonly blobBaseFee: Word
}

const words = new WeakMap<BlockEnv, BlockWords>()

/** Returns the fields of a block as words; computed once for each `env`. */
export function blockWordsOf(env: BlockEnv): BlockWords {
  return getOrInsert(words, env, toBlockWords)
}

function toBlockWords(env: BlockEnv): BlockWords {
  return {
    coinbase: addressToWord(env.coinbase),
    timestamp: toEvmWord(env.timestamp),
    number: toEvmWord(env.number),
    difficulty: toEvmWord(env.rules.fork.paris ? BigInt(env.prevRandao) : env.difficulty),
    gasLimit: toEvmWord(env.gasLimit),
    baseFee: toEvmWord(env.baseFee),
    blobBaseFee: toEvmWord(env.blobBaseFee),
  }
}
