import { describe, expect, it } from 'vitest'
import { askAll, positions, startScene } from '../scene.ts'

describe('eth_getUncleCountByBlockNumber', () => {
  it('is zero for blocks since the merge, and null for unknown blocks', async () => {
    const { chain } = await startScene()
    const calls = positions((block) => [block])
    expect(await askAll(chain, 'eth_getUncleCountByBlockNumber', calls)).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x0",
        },
        "0x2": {
          "both": "0x0",
        },
        "0x3": {
          "preconf": "0x0",
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
          "both": "0x0",
        },
        "pending": {
          "both": "0x0",
        },
        "safe": {
          "both": "0x0",
        },
      }
    `)
  })
})
