/** Errors of the chain object. */
import { PresealError, PresealRpcError, TransactionRejectedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/types.ts'

/** There is no snapshot with this id, or it was removed by a revert to an earlier one. */
export class UnknownSnapshotError extends PresealRpcError {
  override name = 'UnknownSnapshotError'
  constructor(id: Hex) {
    super(-32000, `unknown snapshot ${id}`)
  }
}

/** `advance` was called on a chain whose clock is not manual. */
export class ClockNotManualError extends PresealError {
  override name = 'ClockNotManualError'
  constructor() {
    super("the chain's clock is not manual, so it cannot be advanced")
  }
}

/** A transaction waits for the next tick, since the forked node has not answered yet. Never seen by callers. */
export class StateLoadingError extends TransactionRejectedError {
  override name = 'StateLoadingError'
  constructor() {
    super('state is being loaded from the forked node')
  }
}
