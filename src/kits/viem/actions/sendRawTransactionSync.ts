import {
  BaseError,
  type Chain,
  type Client,
  type SendRawTransactionSyncParameters,
  type SendRawTransactionSyncReturnType,
  type Transport,
  type SendRawTransactionSyncErrorType as ViemErrorType,
} from 'viem'
import { sendRawTransactionSync as viemSendRawTransactionSync } from 'viem/actions'
import type { Hash } from '../../../base/types.ts'
import { SendSyncQueuedError, SendSyncTimeoutError } from '../errors.ts'

/** Errors of {@link sendRawTransactionSync}. */
export type SendRawTransactionSyncErrorType = SendSyncTimeoutError | SendSyncQueuedError | ViemErrorType

/** The error codes of EIP-7966. */
const ERRORS: Readonly<Record<number, new (hash: Hash | undefined, cause: Error) => BaseError>> = {
  4: SendSyncTimeoutError,
  5: SendSyncQueuedError,
}

/**
 * Sends a signed transaction and returns its receipt: the pre-confirmed one on the preconf view, the sealed one on the
 * standard view. The same as viem's action, with errors that have the transaction's hash.
 *
 * - JSON-RPC method: `eth_sendRawTransactionSync` (EIP-7966)
 *
 * @throws SendSyncTimeoutError if it takes longer than `timeout`, in ms of the chain's clock; the transaction stays in
 *   the mempool
 * @throws SendSyncQueuedError if it cannot be executed yet; the transaction stays in the mempool
 * @throws TransactionReceiptRevertedError if it reverted, with `throwOnReceiptRevert`
 * @example
 * const receipt = await sendRawTransactionSync(client, { serializedTransaction, timeout: 1000 })
 */
export async function sendRawTransactionSync<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  parameters: SendRawTransactionSyncParameters,
): Promise<SendRawTransactionSyncReturnType<chain>> {
  try {
    return await viemSendRawTransactionSync(client, parameters)
  } catch (error) {
    throw toSendSyncError(error)
  }
}

/** Converts an error of EIP-7966 to its class; returns any other as it is. */
export function toSendSyncError(error: unknown): unknown {
  if (!(error instanceof BaseError)) return error
  const found = error.walk((cause) => codeOf(cause) in ERRORS)
  if (found === null) return error
  const { data } = found as { readonly data?: unknown }
  return new ERRORS[codeOf(found)]!(typeof data === 'string' ? (data as Hash) : undefined, error)
}

function codeOf(error: unknown): number {
  return (error as { readonly code?: number }).code ?? 0
}
