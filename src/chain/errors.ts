/** Errors of the chain object. */
import { RpcError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/types.ts'

/** There is no snapshot with this id, or it was removed by a revert to an earlier one. */
export class UnknownSnapshotError extends RpcError {
  override name = 'UnknownSnapshotError'
  constructor(id: Hex) {
    super(-32000, `unknown snapshot ${id}`)
  }
}
