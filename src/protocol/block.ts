/** The executed block as the house handles it: plain, frozen, and the same for sealed blocks and snapshots. */
import type { Address, Hash, Hex } from '../primitives/types.ts'
import type { Header } from './header.ts'
import type { Rules } from './rules.ts'
import type { Transaction } from './transaction.ts'

/** An event log of a transaction. */
export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** Ether that comes from the beacon chain (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  /** Gwei. */
  readonly amount: bigint
}

/** What executing one transaction left behind. */
export interface Receipt {
  readonly succeeded: boolean
  /** The state after the transaction, in place of the status; before Byzantium only (EIP-658). */
  readonly stateRoot?: Hash
  /** Gas the sender paid for, refunds deducted. */
  readonly gasUsed: bigint
  /** Gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  /** Wei per unit of gas. */
  readonly effectiveGasPrice: bigint
  /** The contract a creation made. */
  readonly contractAddress: Address | null
  readonly logs: readonly Log[]
  /** What it reverted with; of reverted transactions only, where the chain keeps that. */
  readonly revertReason?: Hex
  /** Index of its first log within the block. */
  readonly firstLogIndex: number
}

/** A block with what executing it gave. */
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
  /** Before the merge only. */
  readonly uncles: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Length of the block's RLP in bytes. */
  readonly size: number
}

/** A block as it comes back from where it is stored. */
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
