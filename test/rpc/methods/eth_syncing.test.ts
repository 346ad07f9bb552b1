import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('eth_syncing', () => {
  it('is always false', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_syncing')).toMatchInlineSnapshot(`
      {
        "both": false,
      }
    `)
  })
})
