import { mineUnderRequests } from '../waits.ts'
import type { RowGroup } from './row.ts'

/** 0x1f40, in one call. */
const BLOCKS = 8_000
const WARM_UP = 100

export const manyBlocks: RowGroup = {
  name: 'blocks',
  rows: [
    { label: '8,000 blocks in one call; EDR reserves them', unit: 'ms', limit: 8_000 },
    { label: 'the longest wait of another request meanwhile', unit: 'ms', limit: 50 },
  ],

  async measure(engine, { accounts }) {
    const chain = await engine.create({ accounts })
    await chain.mine(WARM_UP)
    const { total, longest } = await mineUnderRequests(chain.request, BLOCKS, () => chain.mine(BLOCKS))
    await chain.close()
    return [total, longest]
  },
}
