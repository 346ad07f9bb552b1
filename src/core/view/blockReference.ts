/** How requests name blocks. */
import type { BlockTag, Hash } from '../../base/types.ts'

/** A block's position: a tag or a number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block as requests name it: by tag, number or hash. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }
