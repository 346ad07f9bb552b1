import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('eth_coinbase', () => {
  it('is the fee recipient of the blocks to come', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_coinbase')).toMatchInlineSnapshot(`
      {
        "both": "0x0000000000000000000000000000000000000000",
      }
    `)
  })

  it('is the option coinbase', async () => {
    const { chain } = await startScene({ coinbase: `0x${'c0'.repeat(20)}` })
    expect(await askBoth(chain, 'eth_coinbase', [])).toMatchInlineSnapshot(`
      {
        "both": "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0",
      }
    `)
  })
})
