import { describe, expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

describe('eth_newBlockFilter', () => {
  it('collects the hashes of sealed blocks, not of preconf blocks, in order on both views', async () => {
    const { chain } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      const id = await provider.request({ method: 'eth_newBlockFilter' })
      await chain.tick()
      expect(await ask(provider, 'eth_getFilterChanges', [id])).toEqual([])
      const sealed = [await chain.seal(), await chain.seal()]
      expect(await ask(provider, 'eth_getFilterChanges', [id])).toEqual(sealed.map(({ block }) => block.hash))
    }
  })
})
