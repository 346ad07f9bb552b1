import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('net_version', () => {
  it('is the chain id in decimal', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'net_version')).toMatchInlineSnapshot(`
      {
        "both": "31337",
      }
    `)
  })
})
