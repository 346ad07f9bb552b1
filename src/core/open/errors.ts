/** Errors of the chain object. */
import { PresealError, PresealRpcError, TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hex } from '../../base/types.ts'

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
    super(
      "the chain's clock is not manual, so it cannot be advanced; start the chain with createChain({ clock: createManualClock() })",
    )
  }
}

/** `sleep` was called on a chain that never sleeps. */
export class NeverIdleError extends PresealError {
  override name = 'NeverIdleError'
  constructor() {
    super(
      "the chain never sleeps; start the chain with createChain({ idle: 'sleep' }) or { idle: 'catch-up' }",
    )
  }
}

/** A gap in the nonces of an account, before its waiting transactions. */
export interface NonceGap {
  readonly account: Address
  /** The lowest nonce of the waiting transactions. */
  readonly nonce: number
  /** The next nonce of the account. */
  readonly nextNonce: number
}

/** Transactions cannot be included, since earlier nonces are missing; waiting for them would never end. */
export class NonceGapsError extends PresealError {
  override name = 'NonceGapsError'
  readonly gaps: readonly NonceGap[]
  constructor(gaps: readonly NonceGap[]) {
    const each = gaps.map(
      ({ account, nonce, nextNonce }) =>
        `${account} has sent nonce ${nonce}, but its next nonce is ${nextNonce}`,
    )
    super(`a nonce gap: ${each.join('; ')}`)
    this.gaps = gaps
  }
}

/** A state file with blocks cannot be loaded into a fork, or into a chain with a database. */
export class LoadBlocksError extends PresealRpcError {
  override name = 'LoadBlocksError'
  /** @param kind - such as `a fork`. */
  constructor(kind: string) {
    super(
      -32000,
      `a state file with blocks cannot be loaded into ${kind}; remove its field blocks to load its accounts alone`,
    )
  }
}

/** The chain cannot be exported: it is a fork, its blocks were loaded, or its history does not reach genesis. */
export class ExportError extends PresealRpcError {
  override name = 'ExportError'
  /** @param reason - such as `it is a fork`. */
  constructor(reason: string) {
    super(-32000, `the chain cannot be exported: ${reason}`)
  }
}

/** A transaction waits for the next tick, since the forked node has not answered yet. Never seen by callers. */
export class StateLoadingError extends TransactionRejectedError {
  override name = 'StateLoadingError'
  constructor() {
    super('state is being loaded from the forked node')
  }
}
