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

/** The words of a block environment; computed once. */
export function blockWordsOf(env: BlockEnv): BlockWords {
  let block = words.get(env)
  if (block === undefined) {
    block = {
      coinbase: addressToWord(env.coinbase),
      timestamp: toEvmWord(env.timestamp),
      number: toEvmWord(env.number),
      difficulty: toEvmWord(env.rules.fork.paris ? BigInt(env.prevRandao) : env.difficulty),
      gasLimit: toEvmWord(env.gasLimit),
      baseFee: toEvmWord(env.baseFee),
      blobBaseFee: toEvmWord(env.blobBaseFee),
    }
    words.set(env, block)
  }
  return block
}
