/** The sources of a view, and a connection's settings for it. */

import type { BlockTag, Hash } from '../../base/types.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** A connection's settings for requests without a block, and for pending nonces. */
export interface ViewOptions {
  /** The block of a request that names none. */
  readonly defaultBlock: 'latest' | 'pending'
  /** Whether the pending nonce on preconf counts waiting transactions in addition to pre-confirmed ones. */
  readonly pendingNonce: 'preconf' | 'pool'
}

/** The parts of a chain that a view reads. All else is in the tip that it captures. */
export interface ViewSources {
  readonly sequencer: Pick<Sequencer, 'tip' | 'nextAttributes'>
  readonly mempool: Pick<Mempool, 'contiguousNonce'>
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
