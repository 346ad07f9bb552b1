/** The logs of blocks with their positions in the chain. They are made when they are read, which keeps blocks small. */
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Block, Receipt } from '../../ethereum/block.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

/** A log of a block with its position in the chain. */
export interface IndexedLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  readonly blockHash: Hash
  readonly blockNumber: bigint
  /** Unix time in seconds. */
  readonly blockTimestamp: bigint
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** Position within the block. */
  readonly logIndex: number
}

/** What the logs of a block and their positions are read from. */
export interface LoggedBlock extends Pick<Block, 'hash' | 'number' | 'timestamp'> {
  readonly transactions: readonly Pick<Transaction, 'hash'>[]
  readonly receipts: readonly Pick<Receipt, 'logs' | 'firstLogIndex'>[]
}

/** A block's logs with their positions in the chain. */
export function indexLogs(block: LoggedBlock): IndexedLog[] {
  return block.receipts.flatMap((_, index) => indexTransactionLogs(block, index))
}

/** The logs of one of a block's transactions, with their positions. */
export function indexTransactionLogs(block: LoggedBlock, transactionIndex: number): IndexedLog[] {
  return block.receipts[transactionIndex]!.logs.map((_, i) => indexLog(block, transactionIndex, i))
}

/** One log of one of a block's transactions, with its position. */
export function indexLog(block: LoggedBlock, transactionIndex: number, at: number): IndexedLog {
  const { firstLogIndex, logs } = block.receipts[transactionIndex]!
  const { address, topics, data } = logs[at]!
  return {
    address,
    topics,
    data,
    blockHash: block.hash,
    blockNumber: block.number,
    blockTimestamp: block.timestamp,
    transactionHash: block.transactions[transactionIndex]!.hash,
    transactionIndex,
    logIndex: firstLogIndex + at,
  }
}
