import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { FIRST, SNAPSHOT } from '../sceneValues.ts'

describe('eth_getTransactionByBlockHashAndIndex', () => {
  it('returns the transaction at an index, null if there is none', async () => {
    const { chain, first, empty, snapshot } = await startScene()
    const calls = {
      sealed: [first.block.hash, '0x2'],
      snapshot: [snapshot.block.hash, '0x0'],
      'index beyond': [first.block.hash, '0x3'],
      'index in an earlier snapshot': [empty.block.hash, '0x0'],
      'largest index': [first.block.hash, '0x1fffffffffffff'],
      unknown: [UNKNOWN, '0x0'],
    }
    expect(await askAll(chain, 'eth_getTransactionByBlockHashAndIndex', calls)).toStrictEqual({
      sealed: { both: FIRST.transactions[2] },
      snapshot: { standard: null, preconf: SNAPSHOT.transactions[0] },
      'index beyond': { both: null },
      'index in an earlier snapshot': { both: null },
      'largest index': { both: null },
      unknown: { both: null },
    })
  })
})
