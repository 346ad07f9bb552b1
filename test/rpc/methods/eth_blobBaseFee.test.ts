import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { askBoth, startScene } from '../scene.ts'

describe('eth_blobBaseFee', () => {
  it('is 1 wei without any blobs, and 0 before Cancun', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_blobBaseFee')).toEqual({ both: '0x1' })
    expect(await askBoth(await startChain({ hardfork: 'shanghai' }), 'eth_blobBaseFee')).toEqual({
      both: '0x0',
    })
  })
})
