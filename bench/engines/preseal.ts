import { loadPreseal } from '../load.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine } from './engine.ts'

export const engine: Engine = {
  name: 'preseal',
  inProcess: true,

  async create({ accounts } = {}) {
    const { createChain } = await loadPreseal()
    const chain = await createChain({
      mining: 'manual',
      chainId: CHAIN_ID,
      gasLimit: BLOCK_GAS_LIMIT,
      // A block takes what fits, as the peers' do, however long it takes.
      tickBudget: 60_000,
      ...(accounts && { accounts: { mnemonic: accounts.mnemonic, count: accounts.addresses.length } }),
    })
    return {
      request: (method, params) => {
        // Of the methods here the only one that the standard view lacks.
        const view = method === 'eth_simulateV1' ? chain.preconf : chain.standard
        return view.request({ method, params })
      },
      mine: async () => {
        await chain.seal()
      },
      close: () => chain.close(),
    }
  },
}
