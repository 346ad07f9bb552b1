import type { Hash } from '../../base/types.ts'
import type { Block, Receipt } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import { type Header, measureHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { blockSize } from './blockSize.ts'

const NONE: readonly never[] = []

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
  readonly uncles = NONE
  readonly withdrawals: typeof NONE | undefined
  readonly #bodySize: number
  #buildHeader: (() => Header) | undefined
  #header: Header | undefined
  #hash: Hash | undefined
  #headerSize = 0

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
    this.withdrawals = rules.fork.shanghai ? NONE : undefined
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
    if (this.#hash === undefined) {
      const { hash, size } = measureHeader(this.header)
      this.#hash = hash
      this.#headerSize = size
    }
    return this.#hash
  }

  get size(): number {
    // Reading the hash measures the header.
    void this.hash
    return blockSize(this.header, this.#headerSize, this.#bodySize)
  }
}
