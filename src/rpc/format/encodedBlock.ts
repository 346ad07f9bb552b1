/** Blocks for methods that return encodings. */

import type { BlockReference } from '../../core/view/blockReference.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import { HeaderNotFoundError } from '../../core/view/errors.ts'
import type { ViewedTip } from '../../core/view/viewedTip.ts'

/**
 * The block that a request names.
 *
 * @throws HeaderNotFoundError if there is none, and for the candidate, which has no encoding.
 */
export async function requireEncodable(viewed: ViewedTip, reference: BlockReference): Promise<BlockView> {
  const view = await viewed.require(reference)
  if (view.kind === 'candidate') throw new HeaderNotFoundError()
  return view
}
