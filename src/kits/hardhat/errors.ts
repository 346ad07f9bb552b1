/** Errors of `preseal/hardhat`. Hardhat prints them as the `cause` of the plugin's errors. */
import { PresealError } from '../../base/errors.ts'

/** A connection's `preseal` was read, but preseal does not serve its network. */
export class NetworkNotServedError extends PresealError {
  override name = 'NetworkNotServedError'
  constructor(network: string) {
    super(`the network ${network} has no chain of preseal: expected preseal: true in its configuration`)
  }
}

/** The chain of a connection cannot be created; `cause` is the reason. */
export class ConnectionFailedError extends PresealError {
  override name = 'ConnectionFailedError'
  constructor(network: string, cause: Error) {
    super(`the network ${network} cannot be opened: ${cause.message}`, { cause })
  }
}
