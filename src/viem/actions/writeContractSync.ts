import { writeContractSync as viemWriteContractSync } from 'viem/actions'
import { sendTransactionSync } from './sendTransactionSync.ts'

/**
 * Executes a function of a contract by a transaction and returns its receipt, as {@link sendTransactionSync} does. viem's
 * own action of this name.
 *
 * - JSON-RPC methods: `eth_sendRawTransactionSync` (EIP-7966); for an account of the node `eth_sendTransactionSync`, or,
 *   if the node does not know that, or over a `fallback`, `eth_sendTransaction` and what viem waits by
 *
 * @throws viem's error for the action; what it wraps can be a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await writeContractSync(client, { abi, address, functionName: 'transfer', args: [to, 5n] })
 */
export const writeContractSync: typeof viemWriteContractSync = (client, parameters) => {
  // By the name under which viem's action finds what it sends by.
  const own = { sendTransactionSync: (request: never) => sendTransactionSync(client as never, request) }
  return viemWriteContractSync({ ...client, ...own } as never, parameters as never) as never
}
