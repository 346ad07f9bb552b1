import { describe, expect, it } from 'vitest'
import { askAll, startScene } from '../scene.ts'
import { PRECONF_BLOCK, SECOND } from '../sceneValues.ts'

describe('eth_getTransactionByBlockNumberAndIndex', () => {
  it('returns the transaction at an index, null if there is none', async () => {
    const { chain } = await startScene()
    const calls = {
      sealed: ['0x2', '0x0'],
      latest: ['latest', '0x1'],
      pending: ['pending', '0x3'],
      'pending by number': ['0x3', '0x2'],
      earliest: ['earliest', '0x0'],
      unknown: ['0x4', '0x0'],
    }
    expect(await askAll(chain, 'eth_getTransactionByBlockNumberAndIndex', calls)).toStrictEqual({
      sealed: { both: SECOND.transactions[0] },
      latest: { both: null },
      pending: { standard: null, preconf: PRECONF_BLOCK.transactions[3] },
      'pending by number': { standard: null, preconf: PRECONF_BLOCK.transactions[2] },
      earliest: { both: null },
      unknown: { both: null },
    })
  })
})
