/** Errors of reading state. */
import { PresealRpcError } from '../../base/errors.ts'

/** State, receipts or proofs are not available: the block is older than the history, was withdrawn or was changed. */
export class StateUnavailableError extends PresealRpcError {
  override name = 'StateUnavailableError'
  constructor() {
    super(-32000, 'state not available')
  }
}

/** A proof (EIP-1186) of a block after the one that a fork began at: its state root is that of no real chain. */
export class NoForkProofsError extends PresealRpcError {
  override name = 'NoForkProofsError'
  constructor() {
    super(-32000, 'a fork proves nothing of its own blocks; to fork them, set fork.verify to false')
  }
}
