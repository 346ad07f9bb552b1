import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getUncleByBlockHashAndIndex', () => {
  it('returns null for blocks since the merge, and for unknown blocks', async () => {
    const { chain, first, preconfBlock } = await startScene()
    const calls = {
      sealed: [first.block.hash, '0x0'],
      'preconf block': [preconfBlock.block.hash, '0x0'],
      unknown: [UNKNOWN, '0x1'],
    }
    const answers = await askAll(chain, 'eth_getUncleByBlockHashAndIndex', calls)
    expect(Object.values(answers)).toEqual(Object.values(calls).map(() => ({ both: null })))
  })
})
