import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getBlockTransactionCountByHash', () => {
  it('counts the transactions of a block, and is null if there is none', async () => {
    const { chain, first, empty, preconfBlock } = await startScene()
    const calls = {
      sealed: [first.block.hash],
      'preconf block': [preconfBlock.block.hash],
      'preconf block before': [empty.block.hash],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getBlockTransactionCountByHash', calls)).toMatchInlineSnapshot(`
      {
        "preconf block": {
          "preconf": "0x4",
          "standard": null,
        },
        "preconf block before": {
          "preconf": "0x0",
          "standard": null,
        },
        "sealed": {
          "both": "0x3",
        },
        "unknown": {
          "both": null,
        },
      }
    `)
  })
})
