import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('txpool_inspect', () => {
  it('shows waiting transactions, not pre-confirmed ones', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'txpool_inspect')).toMatchInlineSnapshot(`
      {
        "both": {
          "pending": {
            "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc": {
              "0": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266: 1 wei + 100000 gas × 10000000000 wei",
            },
          },
          "queued": {
            "0x90f79bf6eb2c4f870365e785982e1f101e93b906": {
              "1": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266: 2 wei + 100000 gas × 10000000000 wei",
            },
          },
        },
      }
    `)
  })
})
