import { optional } from '../../base/schema.ts'
import type { Hash } from '../../base/types.ts'
import { AlreadyKnownError } from '../../core/mempool/errors.ts'
import { defineMethod, type SendingContext } from '../method.ts'
import { rawTransaction, timeoutMs } from '../params/params.ts'
import { sendAndWait } from '../sendAndWait.ts'

/**
 * Sends a signed transaction and returns its receipt once it is pre-confirmed (preconf) or sealed (standard)
 * (EIP-7966). Also waits for a transaction that was already sent, so that a client can retry after a timeout or over a
 * new connection.
 *
 * @throws SyncTimeoutRangeError, SyncTimeoutError, SyncQueuedError, SyncDroppedError, TransactionRejectedError
 * @group Transactions
 * @views the sealed receipt | the pre-confirmed receipt
 * @example ["$raw"]
 */
export const eth_sendRawTransactionSync = defineMethod({
  class: 'node',
  onFork: 'local',
  turn: 'raw',
  params: [rawTransaction, optional(timeoutMs)],
  handler: (context, raw, timeout) => sendAndWait(context, () => sendOnce(context, raw), timeout),
})

async function sendOnce({ send, turn }: SendingContext, raw: Uint8Array): Promise<{ readonly hash: Hash }> {
  try {
    return await send.sendRaw(raw, turn)
  } catch (error) {
    if (error instanceof AlreadyKnownError) return error
    throw error
  }
}
