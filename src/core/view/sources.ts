/** The sources of a view, and a connection's settings for it. */

import type { Address, BlockTag, Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { ChainRules } from '../../ethereum/rules.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { StateVersion } from '../../ethereum/state/worldState.ts'
import type { PayloadAttributes } from '../block/attributes.ts'
import type { PrunedBlock, SealedEntry, SealedPlace } from '../ledger/ledger.ts'
import type { LogIndex } from '../ledger/logIndex.ts'
import type { Tip } from '../sequencer/tip.ts'

/** A connection's settings for requests without a block, and for pending nonces. */
export interface ViewOptions {
  /** The block of a request that names none. */
  readonly defaultBlock: 'latest' | 'pending'
  /** Whether the pending nonce on preconf counts waiting transactions in addition to pre-confirmed ones. */
  readonly pendingNonce: 'preconf' | 'pool'
}

/** The chain that a chain was forked from. */
export interface ForkReads {
  /** The number of the block that it was forked at. */
  readonly number: bigint
  readonly hash: Hash
  readonly chainId: bigint
  /** Where the forked node is, without what may be a secret; undefined for a provider. */
  readonly url: string | undefined
  /** Identifies the connection to the node: another object once the fork is read from another node. */
  readonly node: object
  /** @param isPinned - whether the answer never changes in the forked chain, so that it can be kept; default: true. */
  ask<R>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown) => R,
    isPinned?: boolean,
  ): Promise<R>
}

/** The sources of a view. */
export interface ViewSources {
  /** Undefined for a chain that is not a fork. */
  readonly fork?: ForkReads
  tip(): Tip
  /** The attributes that a block after the head would have now. */
  candidateAttributes(head: Block): PayloadAttributes
  /** See `Ledger.get`. @throws Missing for the number of a block that is not read yet. */
  sealed(hash: Hash, number?: bigint): SealedEntry | undefined
  pruned(hash: Hash): Promise<PrunedBlock | undefined>
  sealedTransaction(hash: Hash): SealedPlace | undefined
  /** The position of a transaction in a block that only the database has. @throws Missing */
  storedTransaction(hash: Hash): SealedPlace | undefined
  /** The oldest block that is in memory, if the history reaches it. */
  firstInMemory(): bigint
  /** The blocks before it that raised an account's nonce above `nonce`, newest first. @throws Missing */
  storedNonceRises(address: Address, nonce: bigint): Iterable<bigint>
  /** See `WorldState.nonceRises`. */
  nonceRises(address: Address, nonce: bigint): Iterable<number>
  /** The first nonce from `from` on that is unused, and that no waiting transaction of the sender has. */
  contiguousNonce(address: Address, from: bigint): bigint
  /** Wei per gas of the block after this one. */
  nextBaseFee(block: PrunedBlock): bigint
  /** The Merkle tries of a state, rebuilt. */
  rebuildStateTrie(state: StateVersion): StateTrie
  readonly queryLogs: LogIndex['query']
  readonly rules: ChainRules
  /** Blocks behind the head. */
  readonly finality: { readonly safe: number; readonly finalized: number }
}

// How requests name blocks.

/** A block's position: a tag or a number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block as requests name it: by tag, number or hash. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }
