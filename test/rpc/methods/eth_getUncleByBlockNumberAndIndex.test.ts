import { describe, expect, it } from 'vitest'
import { askAll, positions, startScene } from '../scene.ts'

describe('eth_getUncleByBlockNumberAndIndex', () => {
  it('gives null for every index of a block since the merge, and where there is no such block', async () => {
    const { chain } = await startScene()
    const calls = positions((block) => [block, '0x0'])
    const answers = await askAll(chain, 'eth_getUncleByBlockNumberAndIndex', calls)
    expect(Object.values(answers)).toEqual(Object.values(calls).map(() => ({ both: null })))
  })
})
