/**
 * The hook of Hardhat's connections: each connection to a network that preseal serves gets a chain of its own.
 *
 * Hardhat opens a network of its own before the hook runs. Its provider is kept, as Hardhat's tasks require it, but answers
 * from the chain.
 */

import type { PresealChain } from '../chain/handle.ts'
import { toError } from '../primitives/emitter.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import { ConnectionFailedError, NetworkNotServedError, ReportUnsupportedError } from './errors.ts'
import type { ResolvedNetwork } from './networkConfig.ts'
import { openChain } from './openChain.ts'
import { type Connection, type HookManager, serveProvider } from './serveProvider.ts'

/** The chain of a connection; `advance` rejects with a ClockNotManualError unless the network's `clock` is `'manual'`. */
export type ConnectionChain = PresealChain & Pick<ManualClock, 'advance'>

interface HookContext {
  readonly hooks: HookManager
}

/** The handlers of the category `network`. */
export interface NetworkHooks {
  newConnection(
    context: HookContext,
    next: (context: HookContext) => Promise<Connection>,
  ): Promise<Connection>
}

/** The reports of Hardhat that its networks make, by the hook that gets them. */
const REPORTS = { onCoverageData: '--coverage', onGasMeasurement: '--gas-stats' }

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
        for (const [hook, option] of Object.entries(REPORTS)) {
          const isAsked = await context.hooks.hasHandlers('network', hook)
          if (isAsked) throw new ReportUnsupportedError(networkName, option)
        }
        const chain = await open(networkName, networkConfig)
        serveProvider(connection, chain, context.hooks)
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

async function open(name: string, network: ResolvedNetwork): Promise<PresealChain> {
  try {
    return await openChain(network)
  } catch (error) {
    throw new ConnectionFailedError(name, toError(error))
  }
}

function define(connection: Connection, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(connection, name, { ...descriptor, configurable: true })
}
