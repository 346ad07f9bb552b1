import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('net_listening', () => {
  it('is always true', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'net_listening')).toMatchInlineSnapshot(`
      {
        "both": true,
      }
    `)
  })
})
