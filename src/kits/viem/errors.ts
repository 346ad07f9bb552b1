/** Errors for which viem has no class; all extend viem's `BaseError`, so that `walk` finds them. */
import { BaseError } from 'viem'
import type { TransactionProgress } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'

/** A client's transport has no subscriptions: it is not `chainTransport`, `webSocket`, `ipc` or a `fallback` to one. */
export class PushUnsupportedError extends BaseError {
  constructor(transport: string) {
    super(`The transport "${transport}" has no subscriptions.`, {
      metaMessages: ['Use `chainTransport`, `webSocket` or `ipc`.'],
      name: 'PushUnsupportedError',
    })
  }
}

/** A client on the standard view, which does not show pre-confirmations, requested them. */
export class StandardViewError extends BaseError {
  /** The code with which preseal and go-ethereum refuse an unsupported subscription. */
  readonly code = -32_601

  constructor(cause: Error) {
    super('This client is connected to the standard view; pre-confirmations need the preconf view.', {
      cause,
      name: 'StandardViewError',
    })
  }
}

/** A transaction was dropped from the mempool, or replaced by one with the same nonce, before it was included. */
export class TransactionDroppedError extends BaseError {
  /** The hash of the transaction. */
  readonly hash: Hash
  /** Why the transaction was dropped; undefined if the node reports no reason. */
  readonly reason: TransactionProgress['reason']

  constructor(hash: Hash, { stage, reason, message }: TransactionProgress) {
    const what = stage === 'replaced' ? 'replaced by a transaction with its nonce' : 'dropped'
    const why = message ?? (stage === 'replaced' ? undefined : reason)
    super(`The transaction with hash "${hash}" was ${what}${why === undefined ? '' : `: ${why}`}.`, {
      name: 'TransactionDroppedError',
    })
    this.hash = hash
    this.reason = reason
  }
}

/** A transaction was not included in time because its sender's transactions with lower nonces are missing. */
export class NonceGapError extends BaseError {
  /** The hash of the transaction. */
  readonly hash: Hash
  /** The nonce of the transaction. */
  readonly nonce: number
  /** The next nonce of the sender, after its pending transactions. */
  readonly nextNonce: number

  /** @param cause - the timeout error */
  constructor(hash: Hash, nonce: number, nextNonce: number, cause: Error) {
    const gap = `has nonce ${nonce}, but its sender's next nonce is ${nextNonce}`
    super(`The transaction with hash "${hash}" ${gap}.`, { cause, name: 'NonceGapError' })
    this.hash = hash
    this.nonce = nonce
    this.nextNonce = nextNonce
  }
}

/** A synchronous send timed out; the transaction is still in the mempool (EIP-7966, code 4). */
export class SendSyncTimeoutError extends BaseError {
  /** The hash of the transaction; undefined if the node does not report it. */
  readonly hash: Hash | undefined

  constructor(hash: Hash | undefined, cause: Error) {
    super('The transaction was added to the mempool, but was not included in time.', {
      cause,
      name: 'SendSyncTimeoutError',
    })
    this.hash = hash
  }
}

/** A synchronous send added a transaction that cannot be executed yet; it stays in the mempool (EIP-7966, code 5). */
export class SendSyncQueuedError extends BaseError {
  /** The hash of the transaction; undefined if the node does not report it. */
  readonly hash: Hash | undefined

  constructor(hash: Hash | undefined, cause: Error) {
    super('The transaction was added to the mempool, but is not ready to be executed.', {
      cause,
      name: 'SendSyncQueuedError',
    })
    this.hash = hash
  }
}
