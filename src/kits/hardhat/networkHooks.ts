/**
 * The hook of Hardhat's connections: each connection to a network that preseal serves gets a chain of its own.
 *
 * Hardhat opens a network of its own before the hook runs. Its provider is kept, as Hardhat's tasks require it, but answers
 * from the chain.
 */

import { toError } from '../../base/emitter.ts'
import type { ManualClock } from '../../base/manualClock.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { CoverageContext } from './coverage.ts'
import { ConnectionFailedError, NetworkNotServedError } from './errors.ts'
import type { ArtifactManager, GasContext } from './gasStats.ts'
import type { ResolvedNetwork } from './networkConfig.ts'
import { openChain } from './openChain.ts'
import type { PresealConfig } from './projectConfig.ts'
import { type Connection, type HookManager, serveProvider } from './serveProvider.ts'

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
