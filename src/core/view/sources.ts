/** The sources of a view, and the settings of a connection for it. */

import type { Address, BlockTag, Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { ChainRules } from '../../ethereum/rules.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { StateVersion } from '../../ethereum/state/worldState.ts'
import type { PayloadAttributes } from '../block/attributes.ts'
import type { PrunedBlock, SealedEntry, SealedPlace } from '../ledger/ledger.ts'
import type { LogIndex } from '../ledger/logIndex.ts'
import type { Tip } from '../sequencer/tip.ts'

/** The settings of a connection: its default block, and how it counts pending nonces. */
export interface ViewOptions {
  /** The block of a request without one. */
  readonly defaultBlock: 'latest' | 'pending'
  /** Whether the pending nonce on preconf also counts waiting transactions (`'pool'`), not only pre-confirmed ones. */
  readonly pendingNonce: 'preconf' | 'pool'
}

/** The forked chain. */
export interface ForkReads {
  /** The number of the forked block. */
  readonly number: bigint
  readonly hash: Hash
  readonly chainId: bigint
  /** The forked node's URL without possible secrets; undefined for a provider. */
  readonly url: string | undefined
  /** Identifies the connection. Replaced when the fork reads from a different node. */
  readonly node: object
  /** @param isPinned - the answer never changes in the forked chain, so it may be cached; default: true. */
  ask<R>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown) => R,
    isPinned?: boolean,
  ): Promise<R>
}

/** The sources of a view. */
export interface ViewSources {
  /** Undefined without a fork. */
  readonly fork?: ForkReads
  tip(): Tip
  /** Returns the attributes that a block after the head would have now. */
  candidateAttributes(head: Block): PayloadAttributes
  /** See `Ledger.get`. @throws Missing for the number of a block that is not read yet. */
  sealed(hash: Hash, number?: bigint): SealedEntry | undefined
  pruned(hash: Hash): Promise<PrunedBlock | undefined>
  sealedTransaction(hash: Hash): SealedPlace | undefined
  /** Returns the place of a transaction in a block that only the database has. @throws Missing */
  storedTransaction(hash: Hash): SealedPlace | undefined
  /** Returns the oldest block in memory, as far as the history reaches. */
  firstInMemory(): bigint
  /** Returns earlier blocks that raised an account's nonce above `nonce`, newest first. @throws Missing */
  storedNonceRises(address: Address, nonce: bigint): Iterable<bigint>
  /** See `WorldState.nonceRises`. */
  nonceRises(address: Address, nonce: bigint): Iterable<number>
  /** Returns the first nonce from `from` on that is neither used nor taken by a waiting transaction. */
  contiguousNonce(address: Address, from: bigint): bigint
  /** Returns the base fee of the next block, in wei per gas. */
  nextBaseFee(block: PrunedBlock): bigint
  /** Rebuilds the Merkle tries of a state. */
  rebuildStateTrie(state: StateVersion): StateTrie
  readonly queryLogs: LogIndex['query']
  readonly rules: ChainRules
  /** Blocks behind the head. */
  readonly finality: { readonly safe: number; readonly finalized: number }
}

/** A block position: a tag or a number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block in a request: a tag, number or hash. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }
