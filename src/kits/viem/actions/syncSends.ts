import {
  BaseError,
  type Chain,
  type Client,
  type FormattedTransactionReceipt,
  formatTransactionReceipt,
  type RpcTransactionReceipt,
  type SendRawTransactionSyncParameters,
  type SendRawTransactionSyncReturnType,
  type Transport,
  type SendRawTransactionSyncErrorType as ViemErrorType,
  type WaitForTransactionReceiptParameters,
} from 'viem'
import {
  sendRawTransactionSync as viemSendRawTransactionSync,
  sendTransactionSync as viemSendTransactionSync,
  writeContractSync as viemWriteContractSync,
  waitForTransactionReceipt,
} from 'viem/actions'
import { getAction } from 'viem/utils'
import type { Hash } from '../../../base/types.ts'
import { SendSyncQueuedError, SendSyncTimeoutError } from '../errors.ts'
import { isUnknownName } from '../push.ts'

/** Errors of {@link sendRawTransactionSync}. */
export type SendRawTransactionSyncErrorType = SendSyncTimeoutError | SendSyncQueuedError | ViemErrorType

/** The class of an error, by its code in EIP-7966. */
const ERRORS: Readonly<Record<number, new (hash: Hash | undefined, cause: Error) => BaseError>> = {
  4: SendSyncTimeoutError,
  5: SendSyncQueuedError,
}

/**
 * Sends a signed transaction and returns its receipt: pre-confirmed on the preconf view, sealed on the standard view.
 * Like viem's action, but errors have the transaction's hash.
 *
 * - JSON-RPC method: `eth_sendRawTransactionSync` (EIP-7966)
 *
 * @throws SendSyncTimeoutError after `timeout`, in ms of the chain's clock; the transaction stays in the mempool
 * @throws SendSyncQueuedError if it cannot be executed yet; the transaction stays in the mempool
 * @throws TransactionReceiptRevertedError if it reverted and `throwOnReceiptRevert` is set
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

/** Converts an error of EIP-7966 to its class; returns any other error unchanged. */
function toSendSyncError(error: unknown): unknown {
  if (!(error instanceof BaseError)) return error
  const found = error.walk((cause) => codeOf(cause) in ERRORS)
  if (found === null) return error
  const { data } = found as { readonly data?: unknown }
  return new ERRORS[codeOf(found)]!(typeof data === 'string' ? (data as Hash) : undefined, error)
}

function codeOf(error: unknown): number {
  return (error as { readonly code?: number }).code ?? 0
}

/**
 * Returns a client that sends by `eth_sendTransactionSync` instead of `eth_sendTransaction` and polling, if the node
 * supports it and the transport is not a `fallback`. The client's `sendRawTransactionSync` is preseal's.
 */
function toSyncClient<client extends Client>(client: client, timeout: number | undefined): client {
  const receipts = new Map<Hash, RpcTransactionReceipt>()
  const send = async (transaction: unknown, options: never): Promise<Hash> => {
    const params = timeout === undefined ? [transaction] : [transaction, timeout]
    const request = { method: 'eth_sendTransactionSync', params }
    const receipt: RpcTransactionReceipt = await client.request(request as never, options)
    receipts.set(receipt.transactionHash, receipt)
    return receipt.transactionHash
  }
  return {
    ...client,
    async request(args: { method: string; params: [unknown] }, options: never) {
      // If the first transport of a `fallback` timed out, the next one would send the transaction again.
      if (args.method === 'eth_sendTransaction' && client.transport.type !== 'fallback') {
        try {
          return await send(args.params[0], options)
        } catch (error) {
          if (!isUnknownName(error)) throw toSendSyncError(error)
        }
      }
      return client.request(args as never, options)
    },
    sendRawTransactionSync: (parameters: SendRawTransactionSyncParameters) =>
      sendRawTransactionSync(client as never, parameters),
    waitForTransactionReceipt(parameters: WaitForTransactionReceiptParameters<Chain>) {
      const receipt = receipts.get(parameters.hash)
      const wait = getAction(client, waitForTransactionReceipt, 'waitForTransactionReceipt')
      if (receipt === undefined) return wait(parameters)
      return formatReceipt(client, receipt)
    },
  }
}

/** Formats a receipt by the formatter of the client's chain or, if it has none, by viem's. */
export function formatReceipt<chain extends Chain | undefined>(
  { chain }: Client<Transport, chain>,
  receipt: unknown,
): FormattedTransactionReceipt<chain> {
  const format = chain?.formatters?.transactionReceipt?.format ?? formatTransactionReceipt
  return format(receipt as never, 'getTransactionReceipt') as FormattedTransactionReceipt<chain>
}

/**
 * Sends a transaction and returns its receipt: pre-confirmed on the preconf view, sealed on the standard view. Like
 * viem's action, but as fast for a JSON-RPC account (`account: address`) as for a local one.
 *
 * - JSON-RPC methods: `eth_sendRawTransactionSync` (EIP-7966) for a local account, `eth_sendTransactionSync` for a
 *   JSON-RPC account. If the node does not support `eth_sendTransactionSync` or the transport is a `fallback`:
 *   `eth_sendTransaction`, then viem's `waitForTransactionReceipt`
 *
 * @throws viem's error for the action, which can wrap a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await sendTransactionSync(client, { account: alice.address, to, value: 1n })
 */
export const sendTransactionSync: typeof viemSendTransactionSync = (client, parameters) =>
  viemSendTransactionSync(toSyncClient(client as never, parameters.timeout), parameters as never) as never

/**
 * Executes a contract function in a transaction and returns its receipt. Like viem's action, but sends by {@link
 * sendTransactionSync}, with its JSON-RPC methods.
 *
 * @throws viem's error for the action, which can wrap a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await writeContractSync(client, { abi, address, functionName: 'transfer', args: [to, 5n] })
 */
export const writeContractSync: typeof viemWriteContractSync = (client, parameters) => {
  // viem's action calls the client's action of this name.
  const own = { sendTransactionSync: (request: never) => sendTransactionSync(client as never, request) }
  return viemWriteContractSync({ ...client, ...own } as never, parameters as never) as never
}
