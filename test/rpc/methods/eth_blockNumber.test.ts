import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('eth_blockNumber', () => {
  it('is the sealed head on both views (spec.md 6)', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_blockNumber')).toEqual({ both: '0x2' })
    await chain.tick()
    expect(await askBoth(chain, 'eth_blockNumber')).toEqual({ both: '0x2' })
    await chain.seal()
    expect(await askBoth(chain, 'eth_blockNumber')).toEqual({ both: '0x3' })
  })
})
