import { optional } from '../../base/schema.ts'
import type { Hash } from '../../base/types.ts'
import { AlreadyKnownError } from '../../core/mempool/errors.ts'
import { type SendingContext, sendMethod } from '../method.ts'
import { rawTransaction, timeoutMs } from '../params/params.ts'
import { sendAndWait } from '../sendAndWait.ts'

/**
 * Sends a signed transaction and returns its receipt (EIP-7966), on preconf once it is pre-confirmed, on
 * standard once it is sealed. It also waits for a transaction that was sent before, so that a client can
 * retry after a timeout or through another connection.
 *
 * @throws SyncTimeoutRangeError, SyncTimeoutError, SyncQueuedError, SyncDroppedError, TransactionRejectedError
 */
export const eth_sendRawTransactionSync = sendMethod(
  [rawTransaction, optional(timeoutMs)],
  (context, raw, timeout) => sendAndWait(context, () => sendOnce(context, raw), timeout),
  'raw',
)

async function sendOnce({ send, turn }: SendingContext, raw: Uint8Array): Promise<{ readonly hash: Hash }> {
  try {
    return await send.sendRaw(raw, turn)
  } catch (error) {
    if (error instanceof AlreadyKnownError) return error
    throw error
  }
}
