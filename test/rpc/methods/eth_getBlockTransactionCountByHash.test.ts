import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getBlockTransactionCountByHash', () => {
  it('counts the transactions of a block, and is null if there is none', async () => {
    const { chain, first, empty, snapshot } = await startScene()
    const calls = {
      sealed: [first.block.hash],
      snapshot: [snapshot.block.hash],
      'snapshot before': [empty.block.hash],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getBlockTransactionCountByHash', calls)).toMatchInlineSnapshot(`
      {
        "sealed": {
          "both": "0x3",
        },
        "snapshot": {
          "preconf": "0x4",
          "standard": null,
        },
        "snapshot before": {
          "preconf": "0x0",
          "standard": null,
        },
        "unknown": {
          "both": null,
        },
      }
    `)
  })
})
