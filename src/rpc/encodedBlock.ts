/** Blocks as they are encoded. */
import { HeaderNotFoundError } from '../errors.ts'
import type { BlockReference, BlockView, Sight } from '../view.ts'

/**
 * The block a request names, to be encoded.
 * @throws HeaderNotFoundError where there is none; what `pending` names on standard is not one yet.
 */
export async function requireEncodable(sight: Sight, reference: BlockReference): Promise<BlockView> {
  const view = await sight.require(reference)
  if (view.kind === 'candidate') throw new HeaderNotFoundError()
  return view
}
