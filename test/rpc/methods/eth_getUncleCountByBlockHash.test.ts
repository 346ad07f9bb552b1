import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getUncleCountByBlockHash', () => {
  it('is zero for blocks since the merge, and null for unknown blocks', async () => {
    const { chain, first, snapshot } = await startScene()
    const calls = { sealed: [first.block.hash], snapshot: [snapshot.block.hash], unknown: [UNKNOWN] }
    expect(await askAll(chain, 'eth_getUncleCountByBlockHash', calls)).toMatchInlineSnapshot(`
      {
        "sealed": {
          "both": "0x0",
        },
        "snapshot": {
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
