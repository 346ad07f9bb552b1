import { expectEqual } from '../checks.ts'
import { elapsed } from '../measure.ts'
import type { RowGroup } from './row.ts'

const CHAINS = 20

export const creation: RowGroup = {
  name: 'create',
  rows: [{ label: 'create, first answer, close', unit: 'ms' }],

  async measure(engine) {
    async function live(): Promise<void> {
      const chain = await engine.create()
      expectEqual('the block number', await chain.request('eth_blockNumber', []), 0)
      await chain.close()
    }
    await live()
    const total = await elapsed(async () => {
      for (let index = 0; index < CHAINS; index++) await live()
    })
    return [total / CHAINS]
  },
}
