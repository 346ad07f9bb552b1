import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getUncleCountByBlockHash', () => {
  it('is zero for blocks since the merge, and null for unknown blocks', async () => {
    const { chain, first, preconfBlock } = await startScene()
    const calls = {
      sealed: [first.block.hash],
      'preconf block': [preconfBlock.block.hash],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getUncleCountByBlockHash', calls)).toMatchInlineSnapshot(`
      {
        "preconf block": {
          "preconf": "0x0",
          "standard": null,
        },
        "sealed": {
          "both": "0x0",
        },
        "unknown": {
          "both": null,
        },
      }
    `)
  })
})
