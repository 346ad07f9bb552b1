/**
 * The hook of Hardhat's connections: each connection to a network that preseal serves gets a chain of its own.
 *
 * Hardhat opens a network of its own before the hook runs. Its provider is kept, as Hardhat's tasks require it, but answers
 * from the chain.
 */

import { type Clock, systemClock } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import { createManualClock, type ManualClock } from '../../base/manualClock.ts'
import type { ListedAccount } from '../../base/options/accountOptions.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import { isObject } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import { createChain } from '../../chain/chain.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { privateKeysOf } from '../../core/accounts/accounts.ts'
import type {
  NetworkAccounts,
  PresealConfig,
  PresealNetworkConfig,
  ResolvedNetwork,
  Sensitive,
} from './config.ts'
import type { CoverageContext } from './coverage.ts'
import { ConnectionFailedError, NetworkNotServedError } from './errors.ts'
import type { ArtifactManager, GasContext } from './gasStats.ts'

/** The chain of a connection; `advance` rejects with a ClockNotManualError unless the network's `clock` is `'manual'`. */
export type ConnectionChain = PresealChain & Pick<ManualClock, 'advance'>

interface HookContext {
  readonly hooks: HookManager & GasContext['hooks'] & CoverageContext['hooks']
  readonly config: {
    readonly paths: { readonly artifacts: string }
    readonly preseal?: PresealConfig | undefined
  }
  readonly artifacts: ArtifactManager
}

/** The handlers of the category `network`. */
export interface NetworkHooks {
  newConnection(
    context: HookContext,
    next: (context: HookContext) => Promise<Connection>,
  ): Promise<Connection>
}

/** Creates the handlers. @param toPluginError - makes the error that Hardhat shows of another one. */
export function createNetworkHooks(toPluginError: (error: Error) => Error): NetworkHooks {
  return {
    async newConnection(context, next) {
      const connection = await next(context)
      const { networkName, networkConfig } = connection
      if (networkConfig.preseal === undefined) {
        define(connection, 'preseal', {
          get() {
            throw toPluginError(new NetworkNotServedError(networkName))
          },
        })
        return connection
      }
      try {
        const isCovered = await context.hooks.hasHandlers('network', 'onCoverageData')
        const chain = await open(networkName, networkConfig, context.config.paths.artifacts, isCovered)
        const isMeasured = await context.hooks.hasHandlers('network', 'onGasMeasurement')
        const endGas = isMeasured
          ? (await import('./gasStats.ts')).gasStatsOf(context).watch(chain)
          : undefined
        const endCoverage = isCovered ? (await import('./coverage.ts')).coverageOf(context).open() : undefined
        const hasSnapshot = context.config.preseal?.gas.snapshot !== undefined
        const endSnapshot = hasSnapshot
          ? await (await import('./gasSnapshot.ts')).recordGas(context.hooks, chain)
          : undefined
        serveProvider(connection, chain, context.hooks, async () => {
          await endGas?.()
          await endSnapshot?.()
          await endCoverage?.()
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

async function open(
  name: string,
  network: ResolvedNetwork,
  artifacts: string,
  isCovered: boolean,
): Promise<PresealChain> {
  try {
    return await openChain(network, artifacts, isCovered)
  } catch (error) {
    throw new ConnectionFailedError(name, toError(error))
  }
}

function define(connection: Connection, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(connection, name, { ...descriptor, configurable: true })
}

// Creates the chain of a connection.

/**
 * Creates a chain with the options of a network.
 *
 * @param artifacts - the folder of the project's artifacts, for stack traces.
 * @param isCovered - whether contracts are instrumented: their size has no limit, as on Hardhat's own network.
 * @throws InvalidOptionError, and whatever else `createChain` throws
 */
export async function openChain(
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

/** The path of the accounts that a chain derives itself. */
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

// Answers the requests of a connection's provider from a chain.
//
// Owns: the view that the provider reads. Requests pass Hardhat's handlers of requests first, which fill in the sender and
// the gas as the network's configuration says. Closing the provider closes the chain.

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
