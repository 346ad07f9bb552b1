/** A client for viem's sync sends that also gets the receipts of JSON-RPC accounts from the node's response. */
import {
  type Chain,
  type Client,
  formatTransactionReceipt,
  type RpcTransactionReceipt,
  type SendRawTransactionSyncParameters,
  type WaitForTransactionReceiptParameters,
} from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import { getAction } from 'viem/utils'
import type { Hash } from '../../base/types.ts'
import { sendRawTransactionSync, toSendSyncError } from './actions/sendRawTransactionSync.ts'
import { isUnknownName } from './push.ts'

/**
 * Extends a client: `eth_sendTransactionSync`, if the node supports it, replaces `eth_sendTransaction` and polling for
 * the receipt; this library's `sendRawTransactionSync` replaces viem's.
 *
 * @param timeout - how long the node waits, in ms of its clock; the node's default if undefined.
 */
export function toSyncClient<client extends Client>(client: client, timeout: number | undefined): client {
  const receipts = new Map<Hash, RpcTransactionReceipt>()
  const send = async (transaction: unknown, options: never): Promise<Hash> => {
    const params = timeout === undefined ? [transaction] : [transaction, timeout]
    const request = { method: 'eth_sendTransactionSync', params }
    const receipt = await client.request<{
      Method: string
      Parameters: unknown
      ReturnType: RpcTransactionReceipt
    }>(request, options)
    receipts.set(receipt.transactionHash, receipt)
    return receipt.transactionHash
  }
  return {
    ...client,
    async request(args: { method: string; params: [unknown] }, options: never) {
      // A `fallback` would send the transaction again over the next transport if the first one did not answer in time.
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
      const format = client.chain?.formatters?.transactionReceipt?.format ?? formatTransactionReceipt
      return format(receipt, 'getTransactionReceipt')
    },
  }
}
