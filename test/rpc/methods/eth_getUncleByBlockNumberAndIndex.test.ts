import { describe, expect, it } from 'vitest'
import { askAll, positions, startScene } from '../scene.ts'

describe('eth_getUncleByBlockNumberAndIndex', () => {
  it('returns null for blocks since the merge, and for unknown blocks', async () => {
    const { chain } = await startScene()
    const calls = positions((block) => [block, '0x0'])
    const answers = await askAll(chain, 'eth_getUncleByBlockNumberAndIndex', calls)
    expect(Object.values(answers)).toEqual(Object.values(calls).map(() => ({ both: null })))
  })
})
