/** How requests name blocks. */
import type { BlockTag, Hash } from '../primitives/types.ts'

/** Where a block stands: by tag or by number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block as a request names it. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }
