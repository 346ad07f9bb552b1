import { describe, expect, it } from 'vitest'
import { askAll, positions, startScene } from '../scene.ts'

describe('eth_getBlockTransactionCountByNumber', () => {
  it('counts the transactions of a block, and is null if there is none', async () => {
    const { chain } = await startScene()
    expect(
      await askAll(
        chain,
        'eth_getBlockTransactionCountByNumber',
        positions((block) => [block]),
      ),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x3",
        },
        "0x2": {
          "both": "0x1",
        },
        "0x3": {
          "preconf": "0x4",
          "standard": null,
        },
        "0x4": {
          "both": null,
        },
        "earliest": {
          "both": "0x0",
        },
        "finalized": {
          "both": "0x0",
        },
        "latest": {
          "both": "0x1",
        },
        "pending": {
          "preconf": "0x4",
          "standard": "0x0",
        },
        "safe": {
          "both": "0x3",
        },
      }
    `)
  })
})
