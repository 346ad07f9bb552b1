/** What a chain emits, and the stages of a transaction. */
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpcTypes.ts'
import type { Address, Hash } from './types.ts'

/** A snapshot of the block under construction, published once per tick. */
export interface PreconfBlock {
  /** Position of the snapshot within its block: 0 right after the previous seal. */
  readonly index: number
  /** The partial block with whole transactions; its hash is the header's at this index. */
  readonly block: RpcBlock<RpcTransaction>
  /** One receipt per transaction, in order. */
  readonly receipts: readonly RpcReceipt[]
  /** Index of the first transaction that was not in the snapshot before. */
  readonly added: number
}

/** A sealed block with its receipts. */
export interface SealedBlock {
  readonly block: RpcBlock<RpcTransaction>
  readonly receipts: readonly RpcReceipt[]
}

/**
 * Why a transaction left the mempool without being included; `reverted` where a call of the batch it belongs to did.
 */
export type DropReason = 'replaced' | 'evicted' | 'nonce' | 'funds' | 'invalid' | 'removed' | 'reverted'

/**
 * Why something that was sealed or pre-confirmed was withdrawn: a return to a snapshot or to genesis, blocks imported
 * in its place, a change of what the block under construction is made from, a reorganisation, because it was asked for,
 * or by a fault that is on.
 */
export type RetractionReason = 'revert' | 'reset' | 'import' | 'cheat' | 'reorg' | 'retract' | 'fault'

/** What was withdrawn; all of it comes before the events of what takes its place. */
export interface Retraction {
  readonly reason: RetractionReason
  /** Hashes of the snapshots of the block under construction that are withdrawn, oldest first. */
  readonly snapshots: readonly Hash[]
  /** Hashes of the sealed blocks that are withdrawn, newest first. */
  readonly blocks: readonly Hash[]
  /** Hashes of the transactions that were included, sealed or pre-confirmed, and are not any more. */
  readonly transactions: readonly Hash[]
}

/** What a contract said by `console.log` of Hardhat's or Foundry's console.sol, in a frame that reverted too. */
export interface ConsoleLog {
  /** The arguments as one text. */
  readonly message: string
  readonly args: readonly (string | bigint | boolean)[]
  /** The contract. */
  readonly address: Address
  /** Of the transaction that entered a block, or null in a call, and in an estimate that failed. */
  readonly transactionHash: Hash | null
}

/** What a chain emits, by event name. */
export interface ChainEvents {
  /** A transaction was accepted into the mempool. */
  transaction: (transaction: RpcTransaction) => void
  /** A snapshot was published. */
  preconf: (snapshot: PreconfBlock) => void
  /** A block was sealed or imported. */
  block: (block: SealedBlock) => void
  /**
   * A transaction left the mempool without being included; `message` says what it was refused for, if it was tried,
   * or which fault dropped it.
   */
  dropped: (drop: { readonly hash: Hash; readonly reason: DropReason; readonly message?: string }) => void
  /** What was sealed or pre-confirmed is withdrawn: on request only, faults among it, never by the chain itself. */
  retracted: (retraction: Retraction) => void
  /** A contract said something to the console of Hardhat and Foundry. */
  console: (log: ConsoleLog) => void
  /**
   * A tick or a seal failed, a listener threw, or a request met an error of this library. Without a listener, the
   * first two surface as an uncaught exception.
   */
  error: (error: Error) => void
}

/** Where a transaction stands (design: `chain_transactionStatus`). */
export interface TransactionStatus {
  readonly status: 'Known' | 'Unknown'
  readonly stage?: 'queued' | 'pending' | 'preconfirmed' | 'sealed' | 'dropped' | 'replaced'
}

/** Where a transaction stands, with what a node tells of a drop. */
export interface TransactionProgress extends TransactionStatus {
  /** Why it was dropped, if the node told of it. */
  readonly reason?: DropReason
  /** The error that it was dropped for, if the node told of it. */
  readonly message?: string
}
