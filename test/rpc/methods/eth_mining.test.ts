import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { askBoth, startScene } from '../scene.ts'

describe('eth_mining', () => {
  it('is false in manual mining', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_mining')).toMatchInlineSnapshot(`
      {
        "both": false,
      }
    `)
  })

  it.each(['interval', 'auto'] as const)('is true in %s mining', async (mining) => {
    const chain = await startChain({ mining })
    expect(await askBoth(chain, 'eth_mining')).toEqual({ both: true })
  })
})
