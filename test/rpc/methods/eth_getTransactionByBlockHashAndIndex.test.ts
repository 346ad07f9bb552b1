import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { FIRST, PRECONF_BLOCK } from '../sceneValues.ts'

describe('eth_getTransactionByBlockHashAndIndex', () => {
  it('returns the transaction at an index, null if there is none', async () => {
    const { chain, first, empty, preconfBlock } = await startScene()
    const calls = {
      sealed: [first.block.hash, '0x2'],
      'preconf block': [preconfBlock.block.hash, '0x0'],
      'index beyond': [first.block.hash, '0x3'],
      'index in an earlier preconf block': [empty.block.hash, '0x0'],
      'largest index': [first.block.hash, '0x1fffffffffffff'],
      unknown: [UNKNOWN, '0x0'],
    }
    expect(await askAll(chain, 'eth_getTransactionByBlockHashAndIndex', calls)).toStrictEqual({
      sealed: { both: FIRST.transactions[2] },
      'preconf block': { standard: null, preconf: PRECONF_BLOCK.transactions[0] },
      'index beyond': { both: null },
      'index in an earlier preconf block': { both: null },
      'largest index': { both: null },
      unknown: { both: null },
    })
  })
})
