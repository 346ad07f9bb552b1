import { loadPreseal } from '../load.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine, stateOf } from './engine.ts'

export const engine: Engine = {
  name: 'preseal',
  inProcess: true,

  async create({ accounts, others = [], automine = false, gasLimit = BLOCK_GAS_LIMIT, fork } = {}) {
    const { createChain } = await loadPreseal()
    const chain = await createChain({
      mining: automine ? 'auto' : 'manual',
      chainId: CHAIN_ID,
      gasLimit,
      limits: { gasCap: gasLimit },
      // A block takes all transactions that fit, as the peers' blocks do, without a time limit.
      tickBudget: 60_000,
      // The hardfork of the peers here, or that of the forked chain.
      ...(fork ? { fork } : { hardfork: 'prague' }),
      ...(accounts && { accounts: { mnemonic: accounts.mnemonic, count: accounts.addresses.length } }),
    })
    const { standard } = chain
    if (others.length > 0) await standard.request({ method: 'anvil_loadState', params: [stateOf(others)] })
    return {
      request: (method, params) => {
        // The only method used here that the standard view does not have.
        const view = method === 'eth_simulateV1' ? chain.preconf : standard
        return view.request({ method, params })
      },
      mine: async (blocks = 1) => {
        if (blocks === 1) await chain.seal()
        else await standard.request({ method: 'hardhat_mine', params: [blocks] })
      },
      close: () => chain.close(),
    }
  },
}
