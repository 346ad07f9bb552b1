/** The parts of a chain that a view reads, and the settings that a connection gives to it. */

import type { BlockTag, Hash } from '../../base/types.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** The settings of a connection: its default block, and how it counts pending nonces. */
export interface ViewOptions {
  /** The block of a request that names none. */
  readonly defaultBlock: 'latest' | 'pending'
  /**
   * The pending nonce on preconf counts pre-confirmed transactions (`'preconf'`), or waiting ones too (`'pool'`).
   */
  readonly pendingNonce: 'preconf' | 'pool'
}

/** The parts of a chain that a view reads. Each capture of the view reads `tip` once. */
export interface ViewSources {
  readonly sequencer: Pick<Sequencer, 'tip' | 'nextAttributes'>
  readonly mempool: Pick<Mempool, 'contiguousNonce'>
}

/** A block position: a tag or a number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block in a request: a tag, number or hash. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }
