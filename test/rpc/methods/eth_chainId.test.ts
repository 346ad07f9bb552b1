import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('eth_chainId', () => {
  it('is the chain id', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_chainId')).toMatchInlineSnapshot(`
      {
        "both": "0x7a69",
      }
    `)
  })
})
