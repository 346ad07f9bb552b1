/**
 * Answers the requests of a connection's provider from a chain.
 *
 * Owns: the view that the provider reads. Requests pass Hardhat's handlers of requests first, which fill in the sender and
 * the gas as the network's configuration says. Closing the provider closes the chain.
 */

import { isObject } from '../../base/schema.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { ResolvedNetwork } from './networkConfig.ts'

/** A connection of Hardhat. */
export interface Connection {
  readonly networkName: string
  readonly networkConfig: ResolvedNetwork
  readonly provider: ConnectionProvider
}

/** A provider of Hardhat, which is an event emitter of Node. */
export interface ConnectionProvider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  close(): Promise<void>
  emit(event: string, ...values: unknown[]): boolean
}

/** A request as Hardhat's handlers get it, which may change it. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: unknown
}

/** What Hardhat's handlers of requests return. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: number; readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** Hardhat's manager of hooks. */
export interface HookManager {
  hasHandlers(category: 'network', hook: string): Promise<boolean>
  runHandlerChain(
    category: 'network',
    hook: 'onRequest',
    params: readonly [connection: Connection, request: JsonRpcRequest],
    last: (context: unknown, connection: Connection, request: JsonRpcRequest) => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse>
}

const SENDS: readonly string[] = ['eth_sendTransaction', 'eth_sendRawTransaction']

/**
 * Serves the provider of a connection, until it is closed.
 *
 * @param onClose - called before the chain is closed.
 */
export function serveProvider(
  connection: Connection,
  chain: PresealChain,
  hooks: HookManager,
  onClose: () => Promise<void> = async () => {},
): void {
  const { provider, networkConfig } = connection
  const view = chain[networkConfig.preseal!.view]
  view.on('message', (message) => {
    provider.emit('notification', message.data)
    provider.emit('message', message)
  })
  const ask = async ({ method, params }: JsonRpcRequest): Promise<unknown> => {
    try {
      return await view.request({ method, params })
    } catch (error) {
      const failure = toFailure(error, method, networkConfig)
      if (failure !== undefined) return failure
      throw markAsProviderError(error as Error)
    }
  }
  let lastId = 0
  const request: ConnectionProvider['request'] = async ({ method, params = [] }) => {
    const response = await hooks.runHandlerChain(
      'network',
      'onRequest',
      [connection, { jsonrpc: '2.0', id: ++lastId, method, params }],
      async (_context, _connection, request) => ({
        jsonrpc: '2.0',
        id: request.id,
        result: await ask(request),
      }),
    )
    if ('error' in response) {
      const { message, ...error } = response.error
      throw markAsProviderError(Object.assign(new Error(message), error))
    }
    if (method === 'evm_revert') provider.emit('hardhatNetworkRevertSnapshot')
    return response.result
  }
  const close = provider.close.bind(provider)
  hide(provider, 'request', request)
  hide(provider, 'close', async () => {
    // What the provider was before: it refuses requests once it is closed.
    Reflect.deleteProperty(provider, 'request')
    try {
      await close()
      await onClose()
    } finally {
      await chain.close()
    }
  })
}

function hide(provider: ConnectionProvider, name: 'request' | 'close', value: unknown): void {
  Object.defineProperty(provider, name, { value, configurable: true, writable: true })
}

/** The result of a failed execution, if the network's configuration says that it is no error. */
function toFailure(
  error: unknown,
  method: string,
  { throwOnCallFailures, throwOnTransactionFailures }: ResolvedNetwork,
): unknown {
  if (!isObject(error)) return undefined
  const { data, transactionHash } = error
  if (method === 'eth_call' && !throwOnCallFailures && typeof data === 'string') return data
  return SENDS.includes(method) && !throwOnTransactionFailures ? transactionHash : undefined
}

/** Marks an error as one of Hardhat's providers, as Hardhat's server reports others as internal errors. */
function markAsProviderError(error: Error): Error {
  return Object.defineProperty(error, '_isProviderError', { value: true })
}
