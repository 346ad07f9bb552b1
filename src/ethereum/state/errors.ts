/** Errors of reading state. */
import { PresealRpcError } from '../../base/errors.ts'

/** State, receipts or proofs are not available: the block is older than the history, was withdrawn or was changed. */
export class StateUnavailableError extends PresealRpcError {
  override name = 'StateUnavailableError'
  constructor() {
    super(-32000, 'state not available')
  }
}

/** A proof (EIP-1186) was requested of a block that a fork made itself. No real chain has the block's state root. */
export class NoForkProofsError extends PresealRpcError {
  override name = 'NoForkProofsError'
  constructor() {
    super(-32000, 'a fork has no proofs of the blocks that it makes; to fork it, set fork.verify to false')
  }
}
