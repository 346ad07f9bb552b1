/** What the rpc works with: the parts of one chain, as its methods, filters and subscriptions may use them. */

import type { Signers } from '../accounts/signers.ts'
import type { CheatParts } from '../cheats/parts.ts'
import type { ResolvedOptions } from '../config/options.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { Executor } from '../evm/executor.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { PayloadConfig } from '../payload/payload.ts'
import type { Clock } from '../primitives/clock.ts'
import type { Address, Hex } from '../primitives/types.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { Mining } from '../sequencer/mining.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import type { Reexecutions } from '../trace/reexecution.ts'
import type { Feed } from './subscriptions/feed.ts'
import type { Batches } from './wallet/batches.ts'

/** Reading the chain, and being told of what happens to it. */
export interface ReadServices {
  /** Of the blocks to come. */
  readonly chainId: bigint
  /** What web3_clientVersion answers. */
  readonly clientVersion: string
  /** Fee recipient of the blocks to come, unless another is asked for. */
  readonly coinbase: Address
  /** Offered by transactions that name no fee, in wei; undefined: what enters the next block. */
  readonly gasPrice: bigint | undefined
  readonly limits: ResolvedOptions['limits']
  readonly clock: Clock
  readonly crypto: Crypto
  readonly executor: Executor
  /** What blocks are built with, simulated ones too. */
  readonly config: PayloadConfig
  /** Blocks executed again to be traced. */
  readonly reexecutions: Reexecutions
  readonly mempool: Pick<Mempool, 'get' | 'at' | 'stageOf' | 'dropReasonOf' | 'fateOf' | 'content' | 'status'>
  readonly events: Sequencer['events']
  /** What the events give to subscriptions. */
  readonly feed: Feed
  /** Transactions as they enter the mempool. */
  onTransaction(listener: (transaction: Transaction) => void): () => void
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void
  /** Ends with the chain. */
  readonly closed: Closing
}

/** Sending transactions, and signing for accounts. */
export interface SendServices {
  /** The accounts that may send without bringing a signature. */
  readonly signers: Signers
  /** The batches of calls that were sent. */
  readonly batches: Batches
  /** Transactions an account may have waiting. */
  readonly maxPerSender: number
  /** When blocks are made without being asked for. */
  readonly mining: Pick<Mining, 'sealPending' | 'inTurn'>
  /** Decodes a transaction and lets it into the mempool; in `auto` mining resolves once it is sealed. */
  submitRaw(raw: Uint8Array): Promise<Transaction>
  /**
   * Lets a transaction into the mempool, before anything is waited for; in `auto` mining resolves once it is sealed.
   */
  submit(transaction: Transaction): Promise<Transaction>
  /** Lets transactions into the mempool, all of them or none; seals nothing. */
  enter(transactions: readonly Transaction[]): void
}

/** Changing the chain by other means than transactions. */
export interface ControlServices {
  /** What cheats work with. */
  readonly cheats: CheatParts
  readonly ordering: ResolvedOptions['mempool']['ordering']
  /** Takes a snapshot of the chain. */
  snapshot(): Promise<Hex>
  /** Returns to one; see `Snapshots.revert`. */
  revert(id: Hex, keep: boolean): Promise<boolean>
  /** Replaces the last sealed blocks; see `reorg`. */
  reorg(depth: number, replace: readonly (readonly Uint8Array[])[]): Promise<void>
  /** Switches whether what contracts write to the console is printed. */
  printConsole(on: boolean): void
}

/** What the methods of one chain may use of it. */
export interface RpcServices {
  readonly read: ReadServices
  readonly send: SendServices
  readonly control: ControlServices
}

/** Something that ends once; `onClose` runs at once if it has ended already. */
export interface Closing {
  onClose(fn: () => void): () => void
}

/** A Closing, and the means to end it. */
export function createClosing(): Closing & { close(): void } {
  const listeners = new Set<() => void>()
  let isClosed = false
  return {
    onClose(fn) {
      if (isClosed) fn()
      else listeners.add(fn)
      return () => listeners.delete(fn)
    },
    close() {
      isClosed = true
      for (const listener of [...listeners]) listener()
      listeners.clear()
    },
  }
}
