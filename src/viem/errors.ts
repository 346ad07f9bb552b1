/** The errors of the actions that viem has none for; each a `BaseError` of viem's, so that `walk` finds it. */
import { BaseError } from 'viem'
import type { Hash } from '../types.ts'

/** A client's transport cannot push: it is neither `inProcess`, `webSocket` nor `ipc`, nor a `fallback` to one. */
export class PushUnsupportedError extends BaseError {
  constructor(transport: string) {
    super(`The transport "${transport}" has no subscriptions.`, {
      metaMessages: ['Use `inProcess`, `webSocket` or `ipc`.'],
      name: 'PushUnsupportedError',
    })
  }
}

/** `eth_sendRawTransactionSync` waited longer than its timeout; the transaction still waits (EIP-7966, code 4). */
export class SendSyncTimeoutError extends BaseError {
  /** The transaction; undefined where the node does not tell. */
  readonly hash: Hash | undefined

  constructor(hash: Hash | undefined, cause: Error) {
    super('The transaction was added to the mempool, but was not included in time.', {
      cause,
      name: 'SendSyncTimeoutError',
    })
    this.hash = hash
  }
}

/**
 * `eth_sendRawTransactionSync` was given a transaction that cannot be executed yet, such as one with a nonce gap; it
 * waits in the mempool (EIP-7966, code 5).
 */
export class SendSyncQueuedError extends BaseError {
  /** The transaction; undefined where the node does not tell. */
  readonly hash: Hash | undefined

  constructor(hash: Hash | undefined, cause: Error) {
    super('The transaction was added to the mempool, but is not ready to be executed.', {
      cause,
      name: 'SendSyncQueuedError',
    })
    this.hash = hash
  }
}
