/** Errors of the chain object. */
import { RpcError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/types.ts'

/** There is no snapshot with this id, or it is gone since one before it was returned to. */
export class UnknownSnapshotError extends RpcError {
  override name = 'UnknownSnapshotError'
  constructor(id: Hex) {
    super(-32000, `unknown snapshot ${id}`)
  }
}
