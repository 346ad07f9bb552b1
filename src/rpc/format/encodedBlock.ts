/** Blocks as they are encoded. */

import type { BlockReference } from '../../view/blockReference.ts'
import type { BlockView } from '../../view/blockView.ts'
import { HeaderNotFoundError } from '../../view/errors.ts'
import type { ViewedTip } from '../../view/viewedTip.ts'

/**
 * The block a request names, to be encoded.
 * @throws HeaderNotFoundError if there is none; what `pending` names on standard is not one yet.
 */
export async function requireEncodable(viewed: ViewedTip, reference: BlockReference): Promise<BlockView> {
  const view = await viewed.require(reference)
  if (view.kind === 'candidate') throw new HeaderNotFoundError()
  return view
}
