import { sendTransactionSync as viemSendTransactionSync } from 'viem/actions'
import { toSyncClient } from '../syncClient.ts'

/**
 * Sends a transaction and returns its receipt: the pre-confirmed one on the preconf view, the sealed one on the standard
 * view. viem's own action of this name, which here is as fast for an account of the node (`account: address`) as for one
 * that signs in this process.
 *
 * - JSON-RPC methods: `eth_sendRawTransactionSync` (EIP-7966); for an account of the node `eth_sendTransactionSync`, or,
 *   if the node does not know that, or over a `fallback`, `eth_sendTransaction` and what viem waits by
 *
 * @throws viem's error for the action; what it wraps can be a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await sendTransactionSync(client, { account: alice.address, to, value: 1n })
 */
export const sendTransactionSync: typeof viemSendTransactionSync = (client, parameters) =>
  viemSendTransactionSync(toSyncClient(client as never, parameters.timeout), parameters as never) as never
