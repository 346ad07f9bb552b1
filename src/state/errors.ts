/** Errors of reading state. */
import { PresealRpcError } from '../primitives/errors.ts'

/** The state was pruned, or belongs to blocks that were reverted. */
export class StateUnavailableError extends PresealRpcError {
  override name = 'StateUnavailableError'
  constructor() {
    super(-32000, 'state not available')
  }
}
