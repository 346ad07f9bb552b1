/** The events of a chain, and the stages of a transaction. */
import type { PresealRpcBlock, PresealRpcReceipt, PresealRpcTransaction } from './rpcTypes.ts'
import type { Address, Hash } from './types.ts'

/** The block under construction, published once per tick. */
export interface PreconfBlock {
  /** The position in the slot: 0 right after the previous seal. */
  readonly index: number
  /** The partial block with full transactions; its hash is the hash of the header at this index. */
  readonly block: PresealRpcBlock<PresealRpcTransaction>
  /** One receipt per transaction, in order. */
  readonly receipts: readonly PresealRpcReceipt[]
  /** Index of the first transaction that the previous preconf block does not have. */
  readonly added: number
}

/** A sealed block with its receipts. */
export interface SealedBlock {
  readonly block: PresealRpcBlock<PresealRpcTransaction>
  readonly receipts: readonly PresealRpcReceipt[]
}

/** Why a transaction left the mempool without being included; `reverted` when a call of its batch failed. */
export type DropReason = 'replaced' | 'evicted' | 'nonce' | 'funds' | 'invalid' | 'removed' | 'reverted'

/**
 * Why sealed or pre-confirmed blocks were withdrawn: `revert` to a snapshot, `reset` to genesis, `import` of blocks,
 * `cheat` for changes to the inputs of the block under construction, `reorg`, `retract` on request, `fault` for an
 * injected failure, or `restart` if a chain opened from its database builds a different preconf block than before.
 */
export type RetractionReason =
  | 'revert'
  | 'reset'
  | 'import'
  | 'cheat'
  | 'reorg'
  | 'retract'
  | 'fault'
  | 'restart'

/** Withdrawn blocks and transactions; emitted before the events of their replacements. */
export interface Retraction {
  readonly reason: RetractionReason
  /** Hashes of the withdrawn preconf blocks, oldest first. */
  readonly preconfBlocks: readonly Hash[]
  /** Hashes of the withdrawn sealed blocks, newest first. */
  readonly blocks: readonly Hash[]
  /** Hashes of the transactions that are no longer sealed or pre-confirmed. */
  readonly transactions: readonly Hash[]
}

/** A `console.log` call of Hardhat's or Foundry's console.sol; kept even if its frame reverts. */
export interface ConsoleLog {
  /** The arguments as one text. */
  readonly message: string
  readonly args: readonly (string | bigint | boolean)[]
  /** The contract that called it. */
  readonly address: Address
  /** Hash of the transaction if it entered a block; null in a call, and in an estimate that failed. */
  readonly transactionHash: Hash | null
}

/** The lengths of a chain's slots and of their preconf intervals. */
export interface ChainSchedule {
  /** Milliseconds from seal to seal. */
  readonly blockTime: number
  /** Milliseconds between preconf blocks, at most `blockTime`. */
  readonly preconfInterval: number
}

/** The events of a chain by name. */
export interface ChainEvents {
  /** A transaction was accepted into the mempool. */
  transaction: (transaction: PresealRpcTransaction) => void
  /** A preconf block was published. */
  preconf: (preconfBlock: PreconfBlock) => void
  /** A block was sealed or imported. */
  block: (block: SealedBlock) => void
  /**
   * A transaction left the mempool without being included. `message` is the error it was refused with, if any, or names
   * the fault that dropped it.
   */
  dropped: (drop: { readonly hash: Hash; readonly reason: DropReason; readonly message?: string }) => void
  /** Sealed blocks or preconf blocks were withdrawn: on request, by a fault, or after a restart from a database. */
  retracted: (retraction: Retraction) => void
  /** `anvil_setIntervalMining` or `evm_setIntervalMining` changed the block time. */
  schedule: (schedule: ChainSchedule) => void
  /** The chain has stopped making blocks until the next request, as its option `idle` says. */
  sleep: () => void
  /** A request has come to a chain that sleeps. Emitted before the events of blocks that were due meanwhile. */
  wake: () => void
  /** A contract called `console.log` of Hardhat or Foundry. */
  console: (log: ConsoleLog) => void
  /**
   * A tick, a seal, the clock or a database write failed, a listener threw, or a request failed with an internal error.
   * Without a listener, these errors surface as uncaught exceptions, except the internal errors of requests.
   */
  error: (error: Error) => void
}

/** The stage of a transaction: the result of `chain_transactionStatus`. */
export interface TransactionStatus {
  readonly status: 'Known' | 'Unknown'
  readonly stage?: 'queued' | 'pending' | 'preconfirmed' | 'sealed' | 'dropped' | 'replaced'
}

/** The stage of a transaction, with the details of a drop. */
export interface TransactionProgress extends TransactionStatus {
  /** Why it was dropped, if the node reported it. */
  readonly reason?: DropReason
  /** The error it was dropped for, if the node reported it. */
  readonly message?: string
}
