import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('txpool_status', () => {
  it('counts waiting transactions, not pre-confirmed ones', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'txpool_status')).toMatchInlineSnapshot(`
      {
        "both": {
          "pending": "0x1",
          "queued": "0x1",
        },
      }
    `)
  })
})
