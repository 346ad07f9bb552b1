import { method } from '../method.ts'
import { optional, rawTransaction, timeoutMs } from '../params.ts'
import { sendAndWait } from '../sendAndWait.ts'

/**
 * Sends a transaction and answers with its receipt (EIP-7966): the pre-confirmed one on preconf, the sealed one on
 * standard.
 *
 * @throws SyncTimeoutError, SyncQueuedError, SyncDroppedError, TransactionRejectedError
 */
export const eth_sendRawTransactionSync = method(
  [rawTransaction, optional(timeoutMs)],
  (context, raw, timeout) => sendAndWait(context, () => context.services.submit(raw), timeout),
)
