/** Errors of requests to the sequencer. */
import { PresealRpcError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'

/** The chain, the provider or the connection to a worker is closed (EIP-1193, code 4900). */
export class DisconnectedError extends PresealRpcError {
  override name = 'DisconnectedError'
  /** @param options - `cause`: the failure that led to the close; absent if the close was requested. */
  constructor(options?: { readonly cause?: unknown }) {
    super(4900, 'disconnected')
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** The transaction to withdraw is not pre-confirmed. */
export class NotPreconfirmedError extends PresealRpcError {
  override name = 'NotPreconfirmedError'
  constructor(hash: Hash) {
    super(-32000, `transaction ${hash} is not pre-confirmed; if it is sealed, chain.reorg withdraws it`)
  }
}
