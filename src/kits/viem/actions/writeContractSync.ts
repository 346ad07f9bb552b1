import { writeContractSync as viemWriteContractSync } from 'viem/actions'
import { sendTransactionSync } from './sendTransactionSync.ts'

/**
 * Executes a contract function in a transaction and returns its receipt. The same as viem's action, but sent by
 * {@link sendTransactionSync}.
 *
 * - JSON-RPC methods: `eth_sendRawTransactionSync` (EIP-7966); for a JSON-RPC account `eth_sendTransactionSync`, or, if
 *   the node does not support that, or over a `fallback`, `eth_sendTransaction` and viem's `waitForTransactionReceipt`
 *
 * @throws viem's error for the action; what it wraps can be a SendSyncTimeoutError or a SendSyncQueuedError
 * @example
 * const receipt = await writeContractSync(client, { abi, address, functionName: 'transfer', args: [to, 5n] })
 */
export const writeContractSync: typeof viemWriteContractSync = (client, parameters) => {
  // viem's action calls the client's action of this name.
  const own = { sendTransactionSync: (request: never) => sendTransactionSync(client as never, request) }
  return viemWriteContractSync({ ...client, ...own } as never, parameters as never) as never
}
