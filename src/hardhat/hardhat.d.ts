/** Declarations for the parts of `hardhat` 3 that are used: the package itself is not installed here. */
declare module 'hardhat/types/config' {
  export interface EdrNetworkUserConfig {
    type: 'edr-simulated'
  }

  export interface EdrNetworkConfig {
    type: 'edr-simulated'
  }
}

declare module 'hardhat/types/network' {
  export type ChainType = 'generic' | 'l1' | 'op'
  export type DefaultChainType = 'generic'

  export interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    readonly networkName: string
    readonly chainType: ChainTypeT
    close(): Promise<void>
  }
}

declare module 'hardhat/types/plugins' {
  export interface HardhatPlugin {
    id: string
    npmPackage?: string | null
    hookHandlers?: {
      config?: () => Promise<{ default: () => Promise<object> }>
      network?: () => Promise<{ default: () => Promise<object> }>
      test?: () => Promise<{ default: () => Promise<object> }>
    }
  }
}

declare module 'hardhat/plugins' {
  export class HardhatPluginError extends Error {
    constructor(pluginId: string, message: string, parentError?: Error)
  }
}
