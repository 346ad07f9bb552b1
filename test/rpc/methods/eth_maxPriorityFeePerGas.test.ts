import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth, send, startScene } from '../scene.ts'

describe('eth_maxPriorityFeePerGas', () => {
  it('is the 60th percentile of the tips of the last blocks', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_maxPriorityFeePerGas')).toMatchInlineSnapshot(`
      {
        "both": "0x3b9aca00",
      }
    `)
  })

  it('is 1 gwei before any tip, and depends on sealed blocks only', async () => {
    const chain = await startChain()
    const suggested = () => ask(chain.preconf, 'eth_maxPriorityFeePerGas')
    expect(await suggested()).toBe('0x3b9aca00')
    for (const [i, tip] of ['1', '2', '3', '4'].entries()) {
      await send(chain, i, { nonce: 0, to: chain.accounts[9]!.address, maxPriorityFeePerGas: parseGwei(tip) })
    }
    await chain.tick()
    expect(await suggested()).toBe('0x3b9aca00')
    await chain.seal()
    expect(await suggested()).toBe(`0x${parseGwei('2').toString(16)}`)
  })
})
