import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine } from './engine.ts'

interface GanacheProvider {
  request(args: { method: string; params: readonly unknown[] }): Promise<unknown>
  disconnect(): Promise<void>
}

export const engine: Engine = {
  name: 'ganache',
  inProcess: true,

  async create({ accounts, automine = false, gasLimit = BLOCK_GAS_LIMIT } = {}) {
    const { default: ganache } = await import('ganache')
    const provider = ganache.provider({
      logging: { quiet: true },
      chain: { chainId: CHAIN_ID, hardfork: 'shanghai' },
      miner: { blockGasLimit: Number(gasLimit), callGasLimit: Number(gasLimit) },
      ...(accounts && {
        wallet: {
          mnemonic: accounts.mnemonic,
          totalAccounts: accounts.addresses.length,
          defaultBalance: 10_000,
        },
      }),
    }) as unknown as GanacheProvider
    if (!automine) await provider.request({ method: 'miner_stop', params: [] })
    return {
      request: (method, params) => provider.request({ method, params }),
      mine: async (blocks = 1) => {
        await provider.request({ method: 'evm_mine', params: [{ blocks }] })
      },
      close: () => provider.disconnect(),
    }
  },
}
