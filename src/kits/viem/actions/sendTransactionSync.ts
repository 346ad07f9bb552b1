import { sendTransactionSync as viemSendTransactionSync } from 'viem/actions'
import { toSyncClient } from '../syncClient.ts'

/**
 * Sends a transaction and returns its receipt: the pre-confirmed one on the preconf view, the sealed one on the
 * standard view. The same as viem's action, but as fast for a JSON-RPC account (`account: address`) as for a local one.
 *
 * - JSON-RPC methods: `eth_sendRawTransactionSync` (EIP-7966); for a JSON-RPC account `eth_sendTransactionSync`, or, if
 *   the node does not support that, or over a `fallback`, `eth_sendTransaction` and viem's `waitForTransactionReceipt`
 *
 * @throws viem's error for the action; what it wraps can be a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await sendTransactionSync(client, { account: alice.address, to, value: 1n })
 */
export const sendTransactionSync: typeof viemSendTransactionSync = (client, parameters) =>
  viemSendTransactionSync(toSyncClient(client as never, parameters.timeout), parameters as never) as never
