/** Errors of reading state. */
import { PresealRpcError } from '../primitives/errors.ts'

/** State, receipts or proofs are not available: the block is older than the history, was withdrawn or was changed. */
export class StateUnavailableError extends PresealRpcError {
  override name = 'StateUnavailableError'
  constructor() {
    super(-32000, 'state not available')
  }
}
