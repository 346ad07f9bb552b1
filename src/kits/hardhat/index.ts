/** preseal/hardhat: a plugin of Hardhat 3, a peer dependency, that serves networks from chains in its process. */
import type { ArgumentType } from 'hardhat/types/arguments'
import type { ChainType, DefaultChainType } from 'hardhat/types/network'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import type {
  PresealConfig,
  PresealNetworkConfig,
  PresealNetworkUserConfig,
  PresealUserConfig,
} from './config.ts'
import { configHooks, environmentHooks, testHooks } from './hooks.ts'
import type { ConnectionChain } from './networkHooks.ts'

export type {
  ConnectionView,
  ForkingOptions,
  GasConfig,
  GasUserConfig,
  PresealConfig,
  PresealNetworkConfig,
  PresealNetworkUserConfig,
  PresealUserConfig,
} from './config.ts'
export type { ConnectionChain } from './networkHooks.ts'

declare module 'hardhat/types/config' {
  interface HardhatUserConfig {
    /** Options of preseal for the whole project; by default none. */
    preseal?: PresealUserConfig
  }

  interface HardhatConfig {
    /** Options of preseal for the whole project; undefined if not given. */
    preseal?: PresealConfig
  }

  interface EdrNetworkUserConfig {
    /** Whether, or with which options, preseal serves the network; by default false. */
    preseal?: boolean | PresealNetworkUserConfig
  }

  interface EdrNetworkConfig {
    /** The options with which preseal serves the network; undefined if it does not. */
    preseal?: PresealNetworkConfig
  }
}

declare module 'hardhat/types/global-options' {
  interface GlobalOptions {
    /** `--update-gas-snapshot`: whether to overwrite the file of `preseal.gas.snapshot`. */
    updateGasSnapshot: boolean
  }
}

declare module 'hardhat/types/network' {
  interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    /**
     * The chain of this connection, with both views; closed with the connection. If preseal does not serve the network,
     * reading this property throws a HardhatPluginError whose cause is a NetworkNotServedError.
     */
    readonly preseal: ConnectionChain
  }
}

/**
 * The plugin. Serves each network of type `'edr-simulated'` whose configuration has `preseal: true`, or an object of
 * options. Each connection has a chain in Hardhat's process.
 *
 * @example
 * export default defineConfig({
 *   plugins: [preseal, toolbox],
 *   networks: { default: { type: 'edr-simulated', preseal: true } },
 * })
 */
const preseal: HardhatPlugin = {
  id: 'preseal',
  // With a name, Hardhat would report all optional peer dependencies as missing if a hook fails to load.
  npmPackage: null,
  globalOptions: [
    {
      name: 'updateGasSnapshot',
      description: 'Write the gas snapshot of preseal.gas.snapshot, whatever is in it',
      type: 'FLAG' as ArgumentType.FLAG,
      defaultValue: false,
    },
  ],
  hookHandlers: {
    hre: async () => ({ default: async () => environmentHooks }),
    config: async () => ({ default: async () => configHooks }),
    network: async () => {
      const [{ createNetworkHooks }, { HardhatPluginError }] = await Promise.all([
        import('./networkHooks.ts'),
        import('hardhat/plugins'),
      ])
      const hooks = createNetworkHooks((error) => new HardhatPluginError('preseal', error.message, error))
      return { default: async () => hooks }
    },
    test: async () => ({ default: async () => testHooks }),
  },
}

export default preseal
