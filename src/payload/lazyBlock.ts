import type { BlockEnv } from '../evm/executor.ts'
import type { Hash } from '../primitives/types.ts'
import type { Block, Receipt } from '../protocol/block.ts'
import { type Header, measureHeader } from '../protocol/header.ts'
import type { Rules } from '../protocol/rules.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { blockSize } from './blockSize.ts'

/**
 * A block without uncles and withdrawals whose header is built when it is first read. The properties that follow from the
 * header are getters, which a spread does not copy.
 */
export class LazyBlock implements Block {
  readonly number: bigint
  readonly timestamp: bigint
  readonly rules: Rules
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly uncles = []
  readonly withdrawals: [] | undefined
  readonly #bodySize: number
  #buildHeader: (() => Header) | undefined
  #header: Header | undefined
  #measured: ReturnType<typeof measureHeader> | undefined

  /** @param bodySize - the size of its transactions in RLP, in bytes. */
  constructor(
    { number, timestamp, rules }: BlockEnv,
    { transactions, receipts }: Pick<Block, 'transactions' | 'receipts'>,
    bodySize: number,
    buildHeader: () => Header,
  ) {
    this.number = number
    this.timestamp = timestamp
    this.rules = rules
    this.transactions = transactions
    this.receipts = receipts
    this.withdrawals = rules.fork.shanghai ? [] : undefined
    this.#bodySize = bodySize
    this.#buildHeader = buildHeader
  }

  get header(): Header {
    if (this.#header === undefined) {
      this.#header = this.#buildHeader!()
      // It holds the block's parent, and through it all blocks before.
      this.#buildHeader = undefined
    }
    return this.#header
  }

  get hash(): Hash {
    return this.#measure().hash
  }

  get size(): number {
    return blockSize(this.header, this.#measure().size, this.#bodySize)
  }

  #measure(): ReturnType<typeof measureHeader> {
    this.#measured ??= measureHeader(this.header)
    return this.#measured
  }
}
