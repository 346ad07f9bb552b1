/** Executed blocks as plain data, the same for sealed blocks and snapshots. */
import type { Address, Hash, Hex } from '../base/types.ts'
import type { Header } from './header.ts'
import type { Rules } from './rules.ts'
import type { Transaction } from './transaction.ts'

/** An event log of a transaction. */
export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** A withdrawal of ether from the beacon chain (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  /** Gwei. */
  readonly amount: bigint
}

/** The result of one transaction of a block. */
export interface Receipt {
  readonly succeeded: boolean
  /** The state root after the transaction, instead of the status; only before Byzantium (EIP-658). */
  readonly stateRoot?: Hash
  /** The gas that the sender paid for; refunds are deducted. */
  readonly gasUsed: bigint
  /** Gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  /** Wei per unit of gas. */
  readonly effectiveGasPrice: bigint
  /** The contract that the transaction created. */
  readonly contractAddress: Address | null
  readonly logs: readonly Log[]
  /** The revert data; only of reverted transactions, and only if the chain stores it. */
  readonly revertReason?: Hex
  /** Index of its first log within the block. */
  readonly firstLogIndex: number
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
  /** One per transaction, in order. */
  readonly receipts: readonly Receipt[]
  /** Only before the merge. */
  readonly uncles: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** The size of the block's RLP in bytes. */
  readonly size: number
}

/** A block as it is read from a database or decoded, not executed. */
export interface StoredBlock {
  readonly header: Header
  /** The transactions' bytes (EIP-2718). */
  readonly transactions: readonly Uint8Array[]
  /** The senders of unsigned ones, by index. */
  readonly unsigned?: ReadonlyMap<number, Address>
  /** The chain id it was executed with, if that is not the genesis's. */
  readonly chainId?: bigint
  readonly uncles: readonly Header[]
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly size: number
}
