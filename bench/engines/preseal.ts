import { loadPreseal } from '../load.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine } from './engine.ts'

export const engine: Engine = {
  name: 'preseal',

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
      request: (method, params) => chain.standard.request({ method, params }),
      mine: async () => {
        await chain.seal()
      },
      close: () => chain.close(),
    }
  },
}
