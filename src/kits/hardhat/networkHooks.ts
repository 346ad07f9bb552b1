/**
 * The hook of Hardhat's connections: each connection to a network that preseal serves gets a chain. The connection
 * keeps the provider of the network that Hardhat opens beside the chain, as tasks require; the chain answers its
 * requests.
 */

import { type Clock, systemClock } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import { createManualClock, type ManualClock } from '../../base/manualClock.ts'
import type { ListedAccount } from '../../base/options/accountOptions.ts'
import { isObject } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import { createChain } from '../../chain/chain.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { privateKeysOf } from '../../core/accounts/accounts.ts'
import type { ChainOptions } from '../../core/options.ts'
import type {
  NetworkAccounts,
  PresealConfig,
  PresealNetworkConfig,
  ResolvedNetwork,
  Sensitive,
} from './config.ts'
import { ConnectionFailedError, NetworkNotServedError } from './errors.ts'
import type { ReportContext, ReportHooks } from './gasStats.ts'

/** The chain of a connection; `advance` rejects with a ClockNotManualError unless `clock` is `'manual'`. */
export type ConnectionChain = PresealChain & Pick<ManualClock, 'advance'>

interface HookContext extends ReportContext {
  readonly hooks: HookManager
  readonly config: {
    readonly paths: { readonly artifacts: string }
    readonly preseal?: PresealConfig | undefined
  }
}

/** Creates the handlers of the category `network`. @param toPluginError - wraps an error in one that Hardhat shows */
export function createNetworkHooks(toPluginError: (error: Error) => Error) {
  return {
    async newConnection(
      context: HookContext,
      next: (context: HookContext) => Promise<Connection>,
    ): Promise<Connection> {
      const connection = await next(context)
      const { networkName, networkConfig } = connection
      if (networkConfig.preseal === undefined) {
        const get = (): never => {
          throw toPluginError(new NetworkNotServedError(networkName))
        }
        define(connection, 'preseal', { get })
        return connection
      }
      try {
        const isCovered = await context.hooks.hasHandlers('network', 'onCoverageData')
        const { artifacts } = context.config.paths
        const chain = await openChain(networkConfig, artifacts, isCovered).catch((error) => {
          throw new ConnectionFailedError(networkName, toError(error))
        })
        const endings: ((() => Promise<void>) | undefined)[] = []
        if (await context.hooks.hasHandlers('network', 'onGasMeasurement'))
          endings.push((await import('./gasStats.ts')).gasStatsOf(context).watch(chain))
        if (context.config.preseal?.gas.snapshot !== undefined)
          endings.push(await (await import('./gasSnapshot.ts')).recordGas(context.hooks, chain))
        if (isCovered) endings.push((await import('./coverage.ts')).coverageOf(context).open())
        serveProvider(connection, chain, context.hooks, async () => {
          for (const end of endings) await end?.()
        })
        define(connection, 'preseal', { value: chain })
      } catch (error) {
        await connection.provider.close()
        throw toPluginError(toError(error))
      }
      const { stated } = networkConfig.preseal
      define(connection, 'networkConfig', { value: { ...networkConfig, ...stated }, enumerable: true })
      return connection
    },
  }
}

function define(on: object, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(on, name, { ...descriptor, configurable: true })
}

/** @param isCovered - whether contracts are instrumented: their size is then unlimited, as on Hardhat's network */
async function openChain(
  network: ResolvedNetwork,
  artifacts: string,
  isCovered: boolean,
): Promise<PresealChain> {
  const { options, alsoAuto, ...time } = network.preseal!
  const { fork } = options
  const chain = await createChain({
    stackTraces: artifacts,
    ...options,
    ...(isCovered && { allowUnlimitedContractSize: true }),
    ...(fork && { fork: fork.offline ? fork : { ...fork, url: await network.forking!.url.get() } }),
    accounts: await readAccounts(network.accounts),
    clock: createClock(time),
  })
  if (!alsoAuto) return chain
  try {
    await chain.standard.request({ method: 'evm_setAutomine', params: [true] })
    return chain
  } catch (error) {
    await chain.close()
    throw error
  }
}

function createClock({ clock, startTime }: Pick<PresealNetworkConfig, 'clock' | 'startTime'>): Clock {
  if (clock === 'manual') return createManualClock(startTime)
  if (startTime === undefined) return systemClock
  const offset = startTime - systemClock.now()
  return { ...systemClock, now: () => systemClock.now() + offset }
}

/** The derivation path of accounts that a chain derives from a mnemonic. */
const DEFAULT_PATH = /^m\/44'\/60'\/0'\/0\/?$/

async function readAccounts(accounts: NetworkAccounts): Promise<ChainOptions['accounts']> {
  if ('map' in accounts) {
    return Promise.all(
      accounts.map(async ({ privateKey, balance }) => ({ privateKey: await readKey(privateKey), balance })),
    )
  }
  const { accountsBalance: balance, count, initialIndex, path } = accounts
  const [mnemonic, passphrase] = await Promise.all([accounts.mnemonic.get(), accounts.passphrase.get()])
  const words = mnemonic.trim()
  if (passphrase === '' && initialIndex === 0 && DEFAULT_PATH.test(path)) {
    return { mnemonic: words, count, balance }
  }
  const at = { path: path.replace(/\/$/, ''), first: initialIndex, passphrase }
  const derived: ListedAccount[] = []
  for await (const privateKey of privateKeysOf(words, count, at)) derived.push({ privateKey, balance })
  return derived
}

async function readKey(key: Sensitive): Promise<Hex> {
  const text = await key.get()
  return (/^0x/i.test(text) ? text : `0x${text}`) as Hex
}

/** The used part of Hardhat's `NetworkConnection`. A network can have several connections at a time. */
export interface Connection {
  readonly networkName: string
  readonly networkConfig: ResolvedNetwork
  readonly provider: ConnectionProvider
}

/** A provider of Hardhat, which is a Node event emitter. */
interface ConnectionProvider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  close(): Promise<void>
  emit(event: string, ...values: unknown[]): boolean
}

/** A request as passed to Hardhat's handlers, which may change it. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: unknown
}

type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: number; readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** The used part of Hardhat's `HookManager`. `last` answers after all handlers of the hook. */
export interface HookManager extends ReportHooks {
  hasHandlers(category: 'network', hook: string): Promise<boolean>
  runHandlerChain(
    category: 'network',
    hook: 'onRequest',
    params: readonly [connection: Connection, request: JsonRpcRequest],
    last: (context: unknown, connection: Connection, request: JsonRpcRequest) => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse>
}

/**
 * Answers a connection's requests from its chain, after Hardhat's handlers, which fill in sender and gas as configured.
 * Closing the provider calls `onClose` and closes the chain.
 */
function serveProvider(
  connection: Connection,
  chain: PresealChain,
  hooks: HookManager,
  onClose: () => Promise<void>,
): void {
  const { provider, networkConfig } = connection
  const view = chain[networkConfig.preseal!.view]
  view.on('message', (message) => {
    provider.emit('notification', message.data)
    provider.emit('message', message)
  })
  const ask = ({ method, params }: JsonRpcRequest): Promise<unknown> =>
    view.request({ method, params }).catch((error: Error) => {
      const failure = toFailure(error, method, networkConfig)
      if (failure !== undefined) return failure
      throw markAsProviderError(error)
    })
  let lastId = 0
  const request: ConnectionProvider['request'] = async ({ method, params = [] }) => {
    const response = await hooks.runHandlerChain(
      'network',
      'onRequest',
      [connection, { jsonrpc: '2.0', id: ++lastId, method, params }],
      async (_context, _connection, sent) => ({ jsonrpc: '2.0', id: sent.id, result: await ask(sent) }),
    )
    if ('error' in response) {
      const { message, ...error } = response.error
      throw markAsProviderError(Object.assign(new Error(message), error))
    }
    if (method === 'evm_revert') provider.emit('hardhatNetworkRevertSnapshot')
    return response.result
  }
  const close = provider.close.bind(provider)
  define(provider, 'request', { value: request, writable: true })
  const closeAll = async (): Promise<void> => {
    // Restores the `request` of Hardhat's provider, which refuses requests after `close`.
    Reflect.deleteProperty(provider, 'request')
    try {
      await close()
      await onClose()
    } finally {
      await chain.close()
    }
  }
  define(provider, 'close', { value: closeAll, writable: true })
}

/** Returns the result of a failed execution; undefined unless the network is configured to return it instead of an error. */
function toFailure(
  error: unknown,
  method: string,
  { throwOnCallFailures, throwOnTransactionFailures }: ResolvedNetwork,
): unknown {
  if (!isObject(error)) return undefined
  const { data, transactionHash } = error
  if (method === 'eth_call' && !throwOnCallFailures && typeof data === 'string') return data
  const isSend = method === 'eth_sendTransaction' || method === 'eth_sendRawTransaction'
  return isSend && !throwOnTransactionFailures ? transactionHash : undefined
}

/** Marks an error as coming from a provider: Hardhat's server reports unmarked errors as internal errors. */
function markAsProviderError(error: Error): Error {
  return Object.defineProperty(error, '_isProviderError', { value: true })
}
