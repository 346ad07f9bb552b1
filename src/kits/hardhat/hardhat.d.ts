/** Declares the used parts of `hardhat` 3, which is not installed here. */
declare module 'hardhat/types/arguments' {
  export enum ArgumentType {
    FLAG = 'FLAG',
  }
}

declare module 'hardhat/types/global-options' {
  export interface GlobalOptions {}
}

declare module 'hardhat/types/config' {
  export interface HardhatUserConfig {}

  export interface HardhatConfig {}

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
    globalOptions?: {
      name: string
      description: string
      type: import('hardhat/types/arguments').ArgumentType
      defaultValue: boolean
    }[]
    hookHandlers?: Record<
      'hre' | 'config' | 'network' | 'test',
      () => Promise<{ default: () => Promise<object> }>
    >
  }
}

declare module 'hardhat/plugins' {
  export class HardhatPluginError extends Error {
    constructor(pluginId: string, message: string, parentError?: Error)
  }
}
