/** Executed blocks as plain data, the same for sealed and preconf blocks. */
import type { Address, Hash, Hex } from '../base/types.ts'
import type { ExtraFields } from './chainSpec.ts'
import type { Header } from './header.ts'
import type { Rules } from './rules.ts'
import type { Transaction } from './transaction.ts'

/** An event log of a transaction. */
export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** A withdrawal from the beacon chain (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  /** Gwei. */
  readonly amount: bigint
}

/** The result of a transaction in a block. */
export interface Receipt {
  readonly succeeded: boolean
  /** The state root after the transaction, in place of the status; only before Byzantium (EIP-658). */
  readonly stateRoot?: Hash
  /** The gas paid for, after refunds. */
  readonly gasUsed: bigint
  /** The gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  /** The created contract; null if the transaction is not a creation. */
  readonly contractAddress: Address | null
  readonly logs: readonly Log[]
  /** The revert data, if the transaction reverted and the chain stores it. */
  readonly revertReason?: Hex
  /** The index in the block of the transaction's first log. */
  readonly firstLogIndex: number
  /** The fields that the chain has besides Ethereum's, as on the wire; undefined on Ethereum. */
  readonly extra?: ExtraFields | undefined
}

/** A block with its receipts. */
export interface Block {
  readonly header: Header
  readonly hash: Hash
  readonly number: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly rules: Rules
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** Empty since the merge. */
  readonly uncles: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** The size of the block's RLP in bytes. */
  readonly size: number
}

/** A block as stored or decoded, not executed. */
export interface StoredBlock {
  readonly header: Header
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[]
  /** The senders of unsigned transactions, by index. */
  readonly unsigned?: ReadonlyMap<number, Address>
  /** The chain id it was executed with, if it differs from the genesis's. */
  readonly chainId?: bigint
  readonly uncles: readonly Header[]
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly size: number
}
